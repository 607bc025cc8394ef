import { expect, test } from 'vitest';
import { parseFailed } from './k6.ts';

/** As k6 2.2.0 writes it. */
const line = (error: string) =>
  `time="2026-11-27T09:21:27Z" level=warning msg="Request Failed" error="${error}"\n`;
const bodies = (log: string) => parseFailed(log, 's1').map(({ body }) => body);

test('the first request without an answer is in the words of k6', () => {
  const first = line('Get \\"http://app.test/\\": dial tcp 127.0.0.1:9: connect: connection refused');
  expect(parseFailed(`${first}${line('Get \\"http://app.test/b\\": EOF')}`, 's1')).toEqual([
    {
      ...{ slice: 's1', endpoint: 'all', kind: 'no answer', status: 0 },
      body: 'Get "http://app.test/": dial tcp 127.0.0.1:9: connect: connection refused',
    },
  ]);
});

test.each([
  'Get \\"https://app.test/\\": dial tcp 127.0.0.1:443: connect: connection refused',
  'Get \\"http://staging.test/\\": lookup staging.test: no such host',
  'Post \\"http://10.0.0.1/x\\": IP (10.0.0.1) is in a blacklisted range (0.0.0.0/2)',
])('a request that is not to the app says what to do: %s', (error) => {
  expect(bodies(line(error))).toEqual([expect.stringMatching(/\nA load reaches only the app/)]);
});

test.each([
  'Get \\"http://app.testundefined\\": lookup app.testundefined: no such host',
  'Get \\"http://undefined/cart\\": lookup undefined: no such host',
])('a missing value in an address is named: %s', (error) => {
  expect(bodies(line(error))).toEqual([expect.stringMatching(/\nThe script put a missing value .*selector/)]);
});

test('a script cannot forge one, and other warnings are none', () => {
  expect(bodies('time="…" level=warning msg="Insufficient VUs"\n')).toEqual([]);
  expect(
    bodies(
      'time="…" level=error msg="level=warning msg=\\"Request Failed\\" error=\\"x\\"" source=console\n',
    ),
  ).toEqual([]);
});
