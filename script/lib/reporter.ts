// A vitest reporter that writes a Tally of each project to $TALLY_FILE. Vitest's own JSON has no reasons for skips, and a test file
// that fails outside of its tests has no entry there. It writes after each test file: of a run that is killed, the rest counts.
import { renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { emptyTally, type Reported, type Tally } from './tally.ts';

/** How much of a message stands in the sum: enough to see a value or an exception if the log above is cut. */
const MAX_MESSAGE = 1000;

function summarise(error: (SerializedError & { diff?: string }) | undefined): string {
  const diff = error?.diff?.replace(/^.*Expected.*\n.*Received.*\n/, '') ?? '';
  const text = stripVTControlCharacters(`${error?.message ?? ''}\n${diff}`).slice(0, MAX_MESSAGE);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => `\n    ${line}`).join('');
}

function addModule(tally: Tally, module: TestModule): void {
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

function write(modules: Iterable<TestModule>, rest: Pick<Reported, 'errors' | 'ended'>): void {
  const reported: Reported = { projects: {}, ...rest };
  for (const module of modules) {
    const { name } = module.project;
    const tally = reported.projects[name] ?? emptyTally();
    reported.projects[name] = tally;
    // Which of its tests have passed is known once it ends.
    if (!rest.ended && ['queued', 'pending'].includes(module.state()))
      tally.failed.push(`${relative(process.cwd(), module.moduleId)} (did not finish)`);
    else addModule(tally, module);
  }
  const file = process.env.TALLY_FILE as string;
  // A process that is killed while writing leaves the previous file.
  writeFileSync(`${file}.new`, JSON.stringify(reported));
  renameSync(`${file}.new`, file);
}

export default class TallyReporter implements Reporter {
  readonly #begun = new Set<TestModule>();

  onTestModuleStart(module: TestModule): void {
    this.#begun.add(module);
    write(this.#begun, { errors: [], ended: false });
  }

  onTestModuleEnd(): void {
    write(this.#begun, { errors: [], ended: false });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const errors = unhandledErrors.map((error) => `error outside of a test: ${error.message}`);
    write(modules, { errors, ended: true });
  }
}
