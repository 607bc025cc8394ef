/** Faults that tests of other layers bring about. */
import type { Elsewhere } from './fault.ts';

const RUNS = 'test/integration/faults.test.ts';
const NOTHING = 'there was nothing yet';
const OTHERS = 'all of the other variants';
const BEFORE = 'all slices before';

export const elsewhere: readonly Elsewhere[] = [
  ...(
    [
      ['an image that does not build', '… failed (build): …exit code: 7', 'unbuildable: {'],
      ['a server that ends at its start', 'its container ended with exit code 3', "'faulty[fault=exits]'"],
      ['a server that dies under load', 'its container ended with exit code 137', "'faulty[fault=dies]'"],
      ['a server that answers something else', 'answers differently from …', "'faulty[fault=differs]'"],
      ['a server that answers 500', 'GET /… answers HTTP 500', "'faulty[fault=refuses]'"],
      ['a server that answers 500 once it is loaded', 'every request failed', "id: '"],
      ['an app with a fatal error', 'its log says: Uncaught Error: …', "describe('an app that is not ready"],
      [
        'an app without its key',
        'its log says: No key has been specified.',
        "describe('an app that is not ready",
      ],
      [
        'a server and a worker that take too much memory',
        'killed for lack of memory (OOM)',
        "describe('lack of memory'",
      ],
      [
        'a port that something else listens on',
        'something else listens on its port 18080',
        'something else listens on its port',
      ],
    ] as const
  ).map(
    ([what, message, text]): Elsewhere => ({
      ...{ what, message, exitCode: 3, kept: OTHERS },
      test: { file: RUNS, text: text === "id: '" ? 'fails-under-load' : text },
    }),
  ),
  {
    what: 'k6 is killed',
    message: 'k6 was killed',
    exitCode: 0,
    kept: 'the slices of all other k6 processes; those of this one are void',
    test: { file: RUNS, text: "it('is killed: its slices are void" },
  },
  {
    what: 'SIGINT in the load',
    message: 'stopped by SIGINT; what was measured is kept',
    exitCode: 130,
    kept: BEFORE,
    test: { file: RUNS, text: "it('SIGINT in the load" },
  },
  {
    what: 'SIGTERM in the build, and two more signals in the clean-up',
    message: 'stopped by SIGTERM',
    exitCode: 143,
    kept: NOTHING,
    test: { file: RUNS, text: "['in the build', 2000]" },
  },
  {
    what: 'SIGTERM while a server starts',
    message: 'stopped by SIGTERM',
    exitCode: 143,
    kept: NOTHING,
    test: { file: RUNS, text: "it('SIGTERM while a server starts" },
  },
  {
    what: 'SIGTERM before there is anything',
    message: 'stopped by SIGTERM',
    exitCode: 143,
    kept: NOTHING,
    test: { file: RUNS, text: "it('SIGTERM at once" },
  },
  {
    what: 'SIGKILL, and a report of what it left',
    message: '',
    exitCode: 137,
    kept: `${BEFORE}, in measurements.ndjson; \`report\` shows them`,
    left: 'containers and temporary files until the next run, which removes them',
    test: { file: RUNS, text: "it('SIGKILL: the measurements are there" },
  },
  {
    what: 'standard output is closed',
    message: '',
    exitCode: 0,
    kept: 'everything',
    test: { file: RUNS, text: "describe('a reader that goes away'" },
  },
  {
    what: 'two runs at once',
    message: 'another run holds this engine…--wait',
    exitCode: 2,
    kept: 'everything of the run that was there first',
    test: { file: RUNS, text: "describe('a second run meanwhile'" },
  },
  {
    what: '`--out` has files of another program',
    message: 'the output folder holds files of another program…',
    exitCode: 2,
    kept: 'those files',
    test: { file: RUNS, text: "it('files of somebody else in the output folder'" },
  },
  {
    what: 'no engine answers',
    message: 'no Docker engine answers',
    exitCode: 4,
    kept: NOTHING,
    test: { file: 'test/integration/cli.test.ts', text: "'an engine that does not answer'" },
  },
  {
    what: 'an engine that hangs: a command takes more than its time',
    message: 'docker … did not end: no answer within 60 s',
    exitCode: 4,
    kept: BEFORE,
    test: { file: 'src/run/docker.test.ts', text: "it('is ended when the engine hangs" },
  },
  {
    what: 'an engine that is gone',
    message: 'the Docker engine does not answer any more',
    exitCode: 4,
    kept: BEFORE,
    test: { file: 'src/run/docker.test.ts', text: "it('tells an engine that is gone" },
  },
  {
    what: 'a program that does not listen to SIGTERM',
    message: '',
    exitCode: 143,
    kept: BEFORE,
    test: { file: 'src/host.test.ts', text: "it('is killed when it does not listen" },
  },
  {
    what: 'a kernel without IPv6',
    message: '',
    exitCode: 0,
    kept: 'everything',
    test: { file: 'src/run/probe.test.ts', text: "test('a kernel without IPv6" },
  },
  {
    what: 'an error of ours that nobody caught',
    message: 'internal error, please report it: …',
    exitCode: 70,
    kept: BEFORE,
    test: { file: 'src/last-resort.test.ts', text: "test('a run that goes on cleans up" },
  },
  {
    what: 'a step of the clean-up that fails',
    message: 'could not …',
    exitCode: 0,
    kept: 'everything; all other steps are done',
    test: { file: 'src/clean-up.test.ts', text: "test('does each step whatever the others did" },
  },
  {
    what: "an artifact that is somebody else's",
    message: 'Results that cannot be used',
    exitCode: 3,
    kept: 'the results of all other machines',
    test: { file: 'src/publish/gather.test.ts', text: "test('refuses a second one, a link" },
  },
  {
    what: 'results with hostile text',
    message: '',
    exitCode: 0,
    kept: 'everything; the text stays text',
    test: { file: 'src/publish/gather.test.ts', text: "test('text of a stranger stays text'" },
  },
  {
    what: 'a service that does not start',
    message: 'the services do not start…',
    exitCode: 2,
    kept: NOTHING,
    test: { file: 'test/integration/services.test.ts', text: 'the services do not start' },
  },
];
