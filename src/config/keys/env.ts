import { UserError } from '../../errors.ts';
import { quote } from '../text.ts';
import type { RuntimeChoice } from '../types.ts';
import type { Layer } from './layers.ts';

const RESERVED = ['PORT', 'DOCROOT', 'APP_KIND', 'BENCH_FACTS', 'BENCH_DATABASE', 'BENCH_INI'];

/** An additional variable in the app's environment would silently change what is measured. */
export function checkEnv(
  env: Readonly<Record<string, string>>,
  layers: readonly Layer[],
  runtimes: readonly RuntimeChoice[],
): void {
  for (const name of Object.keys(env)) {
    const where = layers
      .find(({ values }) => Object.hasOwn(values.env ?? {}, name))
      ?.document.place(['env', name]);
    if (RESERVED.includes(name)) {
      throw new UserError('this variable is reserved', {
        ...(where && { where }),
        found: quote(name),
        allowed: `any except ${RESERVED.join(', ')}`,
      });
    }
    // The packages are looked for where composer.json puts them: those elsewhere would be installed anew.
    if (name === 'COMPOSER_VENDOR_DIR') {
      throw new UserError('this variable is not supported', {
        ...(where && { where }),
        found: quote(name),
        hint: 'set `config.vendor-dir` in composer.json: packages in that folder are used unchanged',
      });
    }
    for (const { runtime } of runtimes) {
      const option = Object.entries(runtime.options).find(([, spec]) => spec.env === name)?.[0];
      if (!option) continue;
      throw new UserError(`this variable belongs to an option of '${runtime.name}'`, {
        ...(where && { where }),
        found: quote(name),
        hint: `set the option instead: ${runtime.name}[${option}=…]`,
      });
    }
  }
}
