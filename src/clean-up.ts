/** Steps that clean up at the end. */
export interface CleanUp {
  /** Adds a step; the last that was added is the first to be done. */
  later(what: string, step: () => unknown): void;
  /** Does all steps, each whatever the others did. Never throws: what a step threw is printed. */
  run(): Promise<void>;
}

/** A stack of steps, as `AsyncDisposableStack` is one, which Node 22 does not have. */
export function makeCleanUp(say: (line: string) => void): CleanUp {
  const steps: { what: string; step: () => unknown }[] = [];
  return {
    later(what, step) {
      steps.push({ what, step });
    },
    async run() {
      for (const { what, step } of steps.splice(0).reverse()) {
        try {
          await step();
        } catch (error) {
          say(`could not ${what}: ${(error as Error).message}`);
        }
      }
    },
  };
}
