// A vitest reporter that writes a Tally to $TALLY_FILE. Vitest's own JSON has no reasons for skips, and a test file
// that fails outside of its tests has no entry there.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { emptyTally } from './tally.ts';

/** How much of a message stands in the sum: enough to tell a value from an exception where the log above is cut. */
const MAX_MESSAGE = 1000;

function summarise(error: (SerializedError & { diff?: string }) | undefined): string {
  const diff = error?.diff?.replace(/^.*Expected.*\n.*Received.*\n/, '') ?? '';
  const text = stripVTControlCharacters(`${error?.message ?? ''}\n${diff}`).slice(0, MAX_MESSAGE);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => `\n    ${line}`).join('');
}

export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tally = emptyTally();
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      let named = 0;
      for (const test of module.children.allTests()) {
        const name = `${file} › ${test.fullName}`;
        const result = test.result();
        if (result.state === 'passed' && !test.diagnostic()?.flaky) tally.passed++;
        else if (result.state === 'passed')
          tally.failed.push(`${name} passed at a second try only${summarise(result.errors?.[0])}`);
        else if (result.state === 'skipped')
          tally.skipped.push({ name, reason: result.note ?? 'no reason given' });
        else {
          const why = result.state === 'failed' ? summarise(result.errors[0]) : ' (did not finish)';
          named = tally.failed.push(`${name}${why}`);
        }
      }
      // Import errors, failing hooks, a worker that died.
      if (named === 0 && !['passed', 'skipped'].includes(module.state())) tally.failed.push(file);
    }
    tally.failed.push(...unhandledErrors.map((error) => `error outside of a test: ${error.message}`));
    writeFileSync(process.env.TALLY_FILE as string, JSON.stringify(tally));
  }
}
