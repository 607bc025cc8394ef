import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// How fast a machine is decides no test: these are for what would never come. Nothing is tried twice.
const PATIENT = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 30_000 } },
};

/** Much of a run is waiting: for containers, for the end of a load, for an engine that hangs. */
const WORKERS = availableParallelism() + 2;

/** Files of the integration layer that compare numbers with the truth, or disturb the machine: each runs by itself. */
const ALONE = [
  'capacity',
  'clients',
  'guards',
  'knee',
  'machines',
  'noise',
  'numbers',
  'own-reading',
  'percentiles',
  'verdicts',
].map((name) => `test/integration/${name}.test.ts`);

/**
 * Those that take longest, the longest first: nobody should wait for one at the end. The first three wait for minutes, for a hung
 * engine or a lost connection, beside which pull.test.ts has most of the CPUs for its samples.
 */
const FIRST = [
  ...['connection', 'loaders', 'hang', 'pull', 'profile', 'corpus', 'service-counts', 'scripts'],
  ...['faults', 'runs', 'corpus-services', 'load-engines', 'workflow', 'shop-counts', 'php-counts'],
  ...['services', 'runtimes', 'engines', 'build', 'instructions', 'report', 'answers', 'servers'],
  ...['several', 'host', 'used-up', 'mysql', 'compare', 'cli', 'cache-counts', 'journeys', 'action'],
  // Of the unit tests.
  ...['sampler', 'simulation', 'budget', 'base'],
];

/** Sources read the namespace as they are imported, so it is set before. */
const OWN_NAMES = { setupFiles: 'test/integration/namespace.ts', ...PATIENT };

/** Settings of all files of a layer that runs the CLI. */
const SHARED = { globalSetup: 'test/integration/package.ts', ...OWN_NAMES };

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      (FIRST.indexOf(basename(moduleId, '.test.ts')) + FIRST.length + 1) % (FIRST.length + 1);
    return [...(await super.sort(files))].sort((a, b) => place(a) - place(b));
  }
}

// Layers as in docs/architecture.md. Files that share the engine have names of their own in it: test/integration/namespace.ts.
export default defineConfig({
  test: {
    // The toolkit prints workflow commands, which a runner would take for its own.
    silent: 'passed-only',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,bench}/**/*.test.ts', 'test/unit/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Vitest would leave one CPU to itself, and of two use one.
          maxWorkers: availableParallelism(),
          // Each file in a process of its own loads the sources anew: that was half of all their time.
          isolate: false,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: ALONE,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          ...SHARED,
        },
      },
      {
        test: {
          name: 'alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          ...SHARED,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          ...SHARED,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          ...OWN_NAMES,
        },
      },
    ],
  },
});
