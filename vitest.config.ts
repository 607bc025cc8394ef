import { defineConfig } from 'vitest/config';

// How fast a machine is decides no test: these are for what would never come.
// Real servers on a machine that others use too may be disturbed: the sum tells by name what passed at its second try only.
const PATIENT = {
  testTimeout: 300_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 30_000 } },
  retry: 1,
};

// Layers as in docs/architecture.md. Only unit tests run in parallel: the others share one Docker engine.
export default defineConfig({
  test: {
    // The toolkit prints workflow commands, which a runner would take for its own.
    silent: 'passed-only',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,bench}/**/*.test.ts', 'test/unit/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          fileParallelism: false,
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          fileParallelism: false,
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          fileParallelism: false,
          ...PATIENT,
        },
      },
    ],
  },
});
