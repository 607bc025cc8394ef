// A vitest reporter that writes a Tally to $TALLY_FILE. Vitest's own JSON has no reasons for skips, and a test file
// that fails outside of its tests has no entry there.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { emptyTally } from './tally.ts';

export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tally = emptyTally();
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      let named = 0;
      for (const test of module.children.allTests()) {
        const name = `${file} › ${test.fullName}`;
        const result = test.result();
        if (result.state === 'passed') tally.passed++;
        else if (result.state === 'skipped')
          tally.skipped.push({ name, reason: result.note ?? 'no reason given' });
        else named = tally.failed.push(result.state === 'failed' ? name : `${name} (did not finish)`);
      }
      // Import errors, failing hooks, a worker that died.
      if (named === 0 && !['passed', 'skipped'].includes(module.state())) tally.failed.push(file);
    }
    tally.failed.push(...unhandledErrors.map((error) => `error outside of a test: ${error.message}`));
    writeFileSync(process.env.TALLY_FILE as string, JSON.stringify(tally));
  }
}
