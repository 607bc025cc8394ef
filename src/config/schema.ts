import * as z from 'zod';
import { schemaOf } from './keys/key-sources.ts';
import { manifest, preset } from './parts/runtimes.ts';
import { scenarioFile } from './parts/scenarios.ts';

type JsonSchema = Record<string, unknown>;

/** JSON Schema of what a user writes, for editors; values are still checked in full by `parseConfig`. */
const describe = (schema: z.ZodType, title: string): JsonSchema => ({
  // `input`: before texts are turned into values. zod does not show what a transform is made of; our metadata has it.
  ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  title,
});

/** JSON Schema of `.bench.yml`. */
export const configJsonSchema = (): JsonSchema => describe(schemaOf('file'), 'php-runtime-bench: .bench.yml');

/** JSON Schema of `scenarios/<name>.yaml` and `.bench/scenarios/<name>.yaml`. */
export const scenarioJsonSchema = (): JsonSchema => describe(scenarioFile, 'php-runtime-bench: a scenario');

/** JSON Schema of `runtimes/<name>/runtime.yaml`. */
export const runtimeJsonSchema = (): JsonSchema =>
  describe(z.union([manifest, preset]), 'php-runtime-bench: a runtime');
