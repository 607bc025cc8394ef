import { describe, expect, it } from 'vitest';
import { explainNoLines, joinRepeats, readCountLines } from './php-lines.ts';

const line = (...values: unknown[]) => `${JSON.stringify(values)}\n`;

describe('the lines of count.php', () => {
  it('are means per request', () => {
    const text = line(0, 2, 8591, true, 3, 1000, 1) + line(0, 4, 8591, true, 3, 3000, 3);
    const { values, requests, hidden } = readCountLines(text, 2);
    expect({ requests, hidden }).toEqual({ requests: 2, hidden: false });
    expect(Object.fromEntries(values)).toEqual({
      ...{ notices: 0, warnings: 3, deprecations: 8591 },
      ...{ 'included-files': 3, 'peak-memory': 2000, 'opcache-misses': 2 },
    });
  });

  it('count for the requests of the load: with those that a page sends to its own app, or that PHP does not answer', () => {
    const page = line(2, 0, 0, true, 100, 1000, null);
    const part = line(1, 0, 0, true, 80, 3000, null);
    const valuesOf = (text: string, requests: number) =>
      Object.fromEntries(readCountLines(text, requests).values);
    expect(valuesOf((page + part).repeat(20), 20)).toMatchObject({ notices: 3, 'included-files': 180 });
    expect(valuesOf(page.repeat(20), 40)).toMatchObject({ notices: 1, 'included-files': 50 });
    // The memory of one request is not that of another.
    expect(valuesOf((page + part).repeat(20), 20)).toMatchObject({ 'peak-memory': 2000 });
  });

  it('have the misses of opcache in each request, whatever other processes have counted', () => {
    const missesOf = (...all: (number | null)[]) =>
      readCountLines(all.map((misses) => line(0, 0, 0, true, 1, 1, misses)).join(''), all.length).values.get(
        'opcache-misses',
      );
    expect(missesOf(0, 0, 0, 0)).toBe(0);
    expect(missesOf(1, 3)).toBe(2);
    expect(missesOf(7)).toBe(7);
    expect(missesOf(1, null)).toBeUndefined();
  });

  it('leave out what a script does before and after its load', () => {
    const page = line(2, 0, 1, true, 30, 1000, 0);
    const login = line(0, 5, 1, true, 90, 9000, 1);
    const { values, requests } = readCountLines(login.repeat(3) + page.repeat(20), 20, login.repeat(3));
    expect(requests).toBe(20);
    expect(Object.fromEntries(values)).toEqual({
      ...{ notices: 2, warnings: 0, deprecations: 1 },
      ...{ 'included-files': 30, 'peak-memory': 1000, 'opcache-misses': 0 },
    });
    expect(readCountLines(login, 20, login)).toMatchObject({ values: new Map(), requests: 0 });
  });

  it('say nothing of errors where the app has a handler of its own', () => {
    const { values, hidden } = readCountLines(line(0, 2, 1, false, 3, 1000, null), 1);
    expect(hidden).toBe(true);
    expect([...values.keys()]).toEqual(['included-files', 'peak-memory']);
  });

  it('are any text: what is no count is none', () => {
    const text = `${line(-1, 0, 0, true, 1, 1, 1)}${line('1', 0, 0, true, 1, 1, 1)}<script>\n[1,2]\n{"a":1}`;
    expect(readCountLines(text, 5)).toEqual({ values: new Map(), requests: 0, hidden: false });
  });
});

it('repeats are joined by what all of them have', () => {
  const repeats = [
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
    new Map([['a', 3]]),
  ];
  expect(joinRepeats(repeats)).toEqual([{ name: 'a', perRequest: [1, 3] }]);
});

describe('the causes of no line', () => {
  const INI = 'this runtime may not read BENCH_INI';
  const SET = 'the app may set `auto_prepend_file` or `open_basedir`';
  const EXIT = 'a shutdown function of the app may call exit()';
  const WORKER = 'the server may load the app without worker.php';
  const loaded = ['bench_errors', 'pdo'];

  it.each([
    ['a counter that is loaded', 'per-request', true, loaded, [SET]],
    ['no counter, but a function of PHP', 'per-request', false, ['pdo'], [INI, SET, EXIT]],
    ['extensions that are not known', 'per-request', true, null, [INI, SET]],
    ['a server that keeps the app', 'long-lived', true, loaded, [SET, WORKER]],
    ['the same without the counter', 'long-lived', false, ['pdo'], [INI, SET, WORKER]],
  ] as const)('with %s', (_, model, isGiven, extensions, causes) => {
    expect(explainNoLines({ model, isGiven }, extensions)).toBe(
      `PHP wrote no counts: ${causes.join(', or ')}`,
    );
  });

  it('has two causes where the counter was not loaded', () => {
    expect(explainNoLines({ model: 'per-request', isGiven: true }, ['pdo'])).toBe(
      'the counter was not loaded: this runtime does not read BENCH_INI, or its PHP cannot load the extension',
    );
  });
});
