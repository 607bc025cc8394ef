import { describe, expect, test } from 'vitest';
import { messageOf, parse } from '../../../test/fixtures/memory-files.ts';

test('a runtime of the user’s own works like a bundled one', () => {
  const runtime = `title: Mine
model: long-lived
base: ['php:{php}-cli']
php: ['8.4']
options:
  pace: { type: enum, values: [slow, fast], default: slow, at: build, env: PACE, about: how }
apps: [plain]
stop: { signal: SIGTERM, timeout: 3s, in-flight: dropped }
status: maintained
docs: https://example.org
`;
  const files = {
    '.bench/runtimes/mine/runtime.yaml': runtime,
    '.bench/runtimes/mine/Dockerfile': 'FROM scratch',
  };
  const [choice] = parse(files, ['--runtimes', 'mine[pace=fast]']).runtimes;
  expect(choice).toMatchObject({
    set: { pace: 'fast' },
    runtime: {
      name: 'mine',
      folder: '/project/.bench/runtimes/mine',
      model: 'long-lived',
      stop: { signal: 'SIGTERM', timeoutMs: 3000, inFlight: 'dropped' },
      options: {
        pace: {
          type: 'enum',
          values: ['slow', 'fast'],
          default: 'slow',
          at: 'build',
          env: 'PACE',
          about: 'how',
        },
      },
    },
  });
});

describe('a runtime that extends another', () => {
  const written = (text: string, more: Record<string, string> = {}) => ({
    '.bench/runtimes/many/runtime.yaml': text,
    ...more,
  });
  const many = 'extends: nginx-fpm\ntitle: Many\ndefaults: { workers: 100, keep-alive: 1m }\n';

  test('is that one with other defaults', () => {
    const { runtimes } = parse(written(many), ['--runtimes', 'nginx-fpm,many[listen=tcp]']);
    const [base, own] = runtimes.map(({ runtime }) => runtime);
    expect(own).toMatchObject({
      ...{ name: 'many', title: 'Many', extends: 'nginx-fpm', folder: base?.folder, model: 'per-request' },
      options: { workers: { default: 100, max: 4096 }, 'keep-alive': { default: '60s' } },
    });
    expect(base?.options.workers?.default).toBe(16);
    // The base runtime was seen serving, the derived one was not.
    expect(own).not.toHaveProperty('tried');
    expect(runtimes[1]?.set).toEqual({ listen: 'tcp' });
  });

  test.each([
    [`${many}base: ['x:1']\n`, {}, /:4: unknown key 'base'/],
    [many.replace('nginx-fpm', 'nginx'), {}, /:1: unknown runtime to extend\n.*'nginx'/],
    [many.replace('nginx-fpm', 'php-fpm-80'), {}, /:1: unknown runtime to extend/],
    [many.replace('workers', 'threads'), {}, /:3: unknown option of 'nginx-fpm'/],
    [many.replace('100', '0'), {}, /:3: option 'workers': number out of bounds/],
    [many, { '.bench/runtimes/many/Dockerfile': 'FROM scratch' }, /:1: .* both a Dockerfile and 'extends'/],
  ])('%j is refused', (text, more, message) => {
    expect(messageOf(() => parse(written(text, more), ['--runtimes', 'many']))).toMatch(message);
  });

  test('is the same variant as the one in brackets', () => {
    const choices = 'many,nginx-fpm[workers=100,keep-alive=60s]';
    expect(messageOf(() => parse(written(many), ['--runtimes', choices]))).toMatch(/the same variant twice/);
  });
});
