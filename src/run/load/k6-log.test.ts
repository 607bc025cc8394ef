import { expect, test } from 'vitest';
import { mergeLogs, messageOf, parseLog } from './k6-log.ts';

// As k6 1.8.1 writes it.
const THROWN =
  'time="2026-11-22T10:49:53Z" level=error msg="Error: boom \\"x\\"\\nline2\\n\\tat default (file:///tmp/bench/user/0/project/load/s.js:13:27(46))\\n" executor=shared-iterations scenario=default source=stacktrace';
const PRINTED = 'time="2026-11-22T10:49:53Z" level=error msg=hm source=console';
const SAMPLE =
  'time="2026-11-22T10:49:53Z" level=error msg="bench-sample {\\"slice\\":\\"s1\\"}" source=console';
const ABORTED =
  'time="2026-11-22T10:49:53Z" level=error msg="test aborted: enough at default (file:///tmp/bench/user/0/project/load/s.js:14:36(57))"';

test('exceptions, printed errors and the reason of an abort', () => {
  const log = [SAMPLE, PRINTED, THROWN, ABORTED, 'bench-counts 14874 12', ''].join('\n');
  expect(parseLog(log, 108)).toEqual({
    thrown: { count: 14_874, first: 'Error: boom "x" (load/s.js:13:27)' },
    printed: { count: 12, first: 'hm' },
    aborted: 'enough (load/s.js:14:36)',
    failed: null,
    ended: null,
  });
});

test('only the exit code says that a script has ended itself', () => {
  const said = PRINTED.replace('msg=hm', 'msg="test aborted: not really"');
  expect(parseLog(`${said}\nbench-counts 0 1\n`, 0)).toMatchObject({ aborted: null, printed: { count: 1 } });
});

test('a line that a script prints is not the count', () => {
  const forged = PRINTED.replace('msg=hm', 'msg="\\nbench-counts 7 7"');
  expect(parseLog(`${forged}\nbench-counts 0 1\n`, 0).thrown).toEqual({ count: 0, first: null });
});

test('a message is short, whatever was thrown', () => {
  const long = THROWN.replace('line2', 'x'.repeat(10_000)).replace('boom', 'b'.repeat(10_000));
  expect(messageOf(long).length).toBeLessThan(400);
});

test('bytes that JSON does not know are read as well', () => {
  expect(messageOf('level=error msg="\\x1b[31mred\\a \\U0001f600" source=console')).toBe('\u001b[31mred  😀');
});

test('the log of a pod has neither counts nor an exit code: its own lines have them', () => {
  const warned = PRINTED.replace('level=error', 'level=warning');
  const said = PRINTED.replace('level=error', 'level=info').replace(
    'msg=hm',
    'msg="test aborted: level=error"',
  );
  const log = [SAMPLE, said, warned, PRINTED, THROWN, PRINTED, THROWN, THROWN, ''].join('\n');
  expect(parseLog(log, null)).toEqual({
    thrown: { count: 3, first: 'Error: boom "x" (load/s.js:13:27)' },
    printed: { count: 2, first: 'hm' },
    ...{ aborted: null, failed: null, ended: null },
  });
  expect(parseLog(`${log}${ABORTED}\n`, null)).toMatchObject({
    thrown: { count: 3 },
    aborted: 'enough (load/s.js:14:36)',
  });
});

test.each([
  // As k6 2.2.0 writes it.
  ['without a reason', ABORTED.replace('aborted: enough', 'aborted'), 'no reason given'],
  ['in its setup', ABORTED.replace(/enough at .*/, 'not ready"'), 'not ready'],
])('a script that ended itself %s', (_, line, aborted) => {
  expect(parseLog(line, null)).toMatchObject({ aborted });
});

test('where k6 itself gives up, its last error is the reason', () => {
  // As k6 2.2.0 writes it, with exit code 108.
  const line =
    'time="2026-11-27T09:13:47Z" level=error msg="error building browser on IterStart: finding browser executable: k6 couldn\'t detect google chrome at news (file:///tmp/bench/user/0/project/ex/pages.js:48:8(0))"';
  expect(parseLog(line, 108).aborted).toBe(
    "error building browser on IterStart: finding browser executable: k6 couldn't detect google chrome (ex/pages.js:48:8)",
  );
  expect(parseLog('', 108).aborted).toBe('no reason given');
});

test('a script cannot forge its abort', () => {
  const forged = PRINTED.replace('msg=hm', 'msg="test aborted: not really"');
  expect(parseLog(forged, null).aborted).toBeNull();
});

test('several logs count together, and the first reason is that of all', () => {
  const one = {
    thrown: { count: 1, first: 'a' },
    printed: { count: 0, first: null },
    ...{ aborted: null, failed: null },
    ended: null,
  };
  const other = {
    thrown: { count: 2, first: 'b' },
    printed: { count: 3, first: 'c' },
    ...{ aborted: 'd', failed: 'e' },
    ended: null,
  };
  expect(mergeLogs([one, other])).toEqual({
    thrown: { count: 3, first: 'a' },
    printed: { count: 3, first: 'c' },
    ...{ aborted: 'd', failed: 'e' },
    ended: null,
  });
});

// As k6 2.2.0 writes it.
const SETUP =
  'time="2026-11-26T14:05:25Z" level=error msg="GoError: login failed\\n\\tat go.k6.io/k6/v2/internal/js/modules/k6.(*K6).Fail-fm (native)\\n\\tat setup (file:///tmp/bench/user/0/project/load/login.js:7:29(17))\\n\\tat setUpAndWait (file:///tmp/bench/lib/main.js:113:29(18))\\n" hint="script exception" source=stacktrace';
const REJECTED =
  'time="2026-11-26T14:05:30Z" level=error msg="Uncaught (in promise) GoError: login failed\\n\\tat setup (file:///tmp/bench/user/0/project/load/login.js:7:29(17))\\n"';
const SLOW =
  'time="2026-11-26T14:05:27Z" level=error msg="setup() execution timed out after 60 seconds" hint="You can increase the time limit via the setupTimeout option"';

test.each([
  [SETUP, 107, 'login failed (load/login.js:7:29)'],
  [REJECTED, 255, 'login failed (load/login.js:7:29)'],
  [SLOW, 100, 'setup() execution timed out after 60 seconds'],
])('what ended k6: %s', (line, code, ended) => {
  const log = [THROWN, line, PRINTED, 'bench-counts 2 1', ''].join('\n');
  expect(parseLog(log, code).ended).toBe(ended);
  expect(parseLog(log, 0).ended).toBeNull();
});

test('an exception of an async function is the first that was thrown', () => {
  expect(parseLog(`${REJECTED}\nbench-counts 1 0\n`, 0).thrown).toEqual({
    count: 1,
    first: 'login failed (load/login.js:7:29)',
  });
});

test('a script marks the test as failed, and no other line does', () => {
  const marked =
    'time="2026-11-26T14:05:28Z" level=error msg="test marked as failed: \\n  title is wrong\\nExpected: x"';
  const over = 'time="2026-11-26T14:05:29Z" level=error msg="test run was marked as failed"';
  expect(parseLog([marked, over, ''].join('\n'), 110).failed).toBe('title is wrong');
  expect(parseLog('time="2026-11-26T14:05:28Z" level=error msg="test marked as failed"\n', 110).failed).toBe(
    'no reason given',
  );
  expect(parseLog(`${marked} source=console\n`, 0).failed).toBeNull();
});

test('an exception in setup or teardown of a pod ended no iteration', () => {
  expect(parseLog([SETUP, REJECTED, SLOW, ''].join('\n'), null)).toMatchObject({
    thrown: { count: 0 },
    ended: 'setup() execution timed out after 60 seconds',
  });
});

test('a teardown without an end counts as an exception', () => {
  const slow = SLOW.replaceAll('setup', 'teardown');
  const first = 'teardown() execution timed out after 60 seconds';
  expect(parseLog(`${slow}\nbench-counts 1 0\n`, 101).thrown).toEqual({ count: 1, first });
});
