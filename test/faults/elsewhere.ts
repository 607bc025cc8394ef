/**
 * Faults that tests of other layers bring about. Each of those tests compares what it has seen with its row by `expectRow`,
 * so that the table has no text which nobody checks.
 */
import { type Elsewhere, expectSeen, type Seen } from './fault.ts';

const RUNS = 'test/integration/faults.test.ts';
const NOTHING = 'there was nothing yet';
const OTHERS = 'all of the other variants';
const BEFORE = 'all slices before';

const variant = (what: string, message: string): Elsewhere => ({
  ...{ what, message, exitCode: 3, kept: OTHERS, file: RUNS },
});
const stopped = (what: string, exitCode: number, kept: string, message: string): Elsewhere => ({
  ...{ what, message, exitCode, kept, file: RUNS },
});

export const elsewhere = {
  unbuildable: variant('an image that does not build', 'failed to build: …exit code: 7'),
  exits: variant('a server that ends at its start', 'its container ended with exit code 3'),
  dies: variant('a server that dies under load', 'its container ended with exit code 137'),
  differs: variant('a server that answers something else', 'answers differently from …'),
  refuses: variant('a server that answers 500', 'GET /…answers HTTP 500'),
  'fails-under-load': variant(
    'a server that answers 500 once it is loaded',
    'answers differently after the load: HTTP 500',
  ),
  'fatal-error': variant('an app with a fatal error', 'its log: Uncaught Error: …'),
  'without-key': variant('an app without its key', 'its log: No key has been specified.'),
  memory: variant('a server and a worker that take too much memory', 'out of memory'),
  port: variant('a port that another program listens on', 'another program listens on its port 18080'),
  k6: {
    ...{ what: 'k6 is killed', message: 'k6 was killed', exitCode: 0, file: RUNS },
    kept: 'the slices of all other k6 processes; those of this one are void',
  },
  SIGINT: stopped('SIGINT in the load', 130, BEFORE, 'stopped by SIGINT; results so far are kept'),
  build: stopped(
    'SIGTERM in the build, and two more signals in the clean-up',
    143,
    NOTHING,
    'stopped by SIGTERM',
  ),
  start: stopped('SIGTERM while a server starts', 143, NOTHING, 'stopped by SIGTERM'),
  early: stopped('SIGTERM before there is anything', 143, NOTHING, 'stopped by SIGTERM'),
  SIGKILL: {
    ...stopped('SIGKILL, and a report of what it left', 137, '', ''),
    kept: `${BEFORE}, in measurements.ndjson; \`report\` shows them`,
    left: 'containers and temporary files until the next run, which removes them',
  },
  'killed-step': {
    what: 'the process of the action is killed',
    message: 'did not publish its results: publishing those so far',
    ...{ exitCode: null, ends: 'the job fails', file: 'src/steps/salvage.test.ts' },
    kept: `${BEFORE}; the post step publishes them`,
  },
  unread: stopped('standard output is closed', 0, 'everything', ''),
  'full-output': {
    ...{ what: 'standard output is a file on a full disk', message: 'standard output: the disk is full' },
    ...{ exitCode: 4, kept: 'everything in `--out`', file: 'src/cli.test.ts' },
  },
  second: {
    ...{
      what: 'two runs at once',
      message: 'another benchmark is running on this Docker engine…--wait',
      exitCode: 2,
      file: RUNS,
    },
    kept: 'everything of the run that was there first',
  },
  precious: {
    what: '`--out` contains other files',
    message: 'the output folder contains other files…',
    ...{ exitCode: 2, kept: 'those files', file: RUNS },
  },
  deaf: {
    what: 'a program that we have started does not listen to SIGTERM',
    ...{ message: '', exitCode: 137, kept: BEFORE, file: 'src/host.test.ts' },
  },
  uncaught: {
    what: 'an internal error that nothing caught',
    message: 'internal error, please report it: …',
    ...{ exitCode: 70, kept: BEFORE, file: 'src/last-resort.test.ts' },
  },
  'clean-up': {
    ...{ what: 'a step of the clean-up that fails', message: 'could not …', exitCode: null },
    ...{ kept: 'everything; all other steps are done', file: 'src/clean-up.test.ts' },
  },
  'no-service': {
    ...{ what: 'a service that does not start', message: 'the services did not start…', exitCode: 2 },
    ...{ kept: NOTHING, file: 'test/integration/services.test.ts' },
  },
} satisfies Record<string, Elsewhere>;

/** Compares what a test has seen with the row of its fault. */
export function expectRow(key: keyof typeof elsewhere, seen: Seen): void {
  expectSeen(elsewhere[key], seen);
}
