import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { realFiles } from '../config/files.ts';
import { parseChoices } from '../config/keys/choices.ts';
import { loadRuntimes } from '../config/parts/runtimes.ts';
import { eject } from './eject.ts';

const root = resolve(import.meta.dirname, '../..');
const runtimes = loadRuntimes(root, '/nowhere', realFiles);

function filesOf(choice: string): Map<string, string> {
  const [chosen] = parseChoices(choice, runtimes);
  if (!chosen) throw new Error(`no runtime ${choice}`);
  return new Map(eject(chosen, root, realFiles).map(({ path, text }) => [path, text]));
}

test.each([...runtimes.keys()])('%s: all that its Dockerfile copies lies beside it', (name) => {
  const files = filesOf(name);
  const lines = files.get('Dockerfile')?.replaceAll('\\\n', ' ').split('\n') ?? [];
  for (const line of lines.filter((line) => line.startsWith('COPY '))) {
    const words = line.split(/\s+/).slice(1, -1);
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    if (from !== undefined && from !== 'shared') continue;
    for (const source of words.filter((word) => !word.startsWith('--'))) {
      if (['app', 'shared', '.'].includes(source)) continue;
      expect([...files.keys()], line).toContain(from ? `shared/${source}` : source.replace(/^\.\//, ''));
    }
  }
  expect(files.get('serve')).toMatch(/^#!/);
  expect([...files.keys()]).not.toContain('runtime.yaml');
});

test('has the options in force', () => {
  const dockerfile = filesOf('php-fpm-80[gzip=true]').get('Dockerfile') ?? '';
  expect(dockerfile.indexOf('FROM scratch AS app')).toBeLessThan(dockerfile.indexOf('FROM php:'));
  const env = /^ENV WORKERS[\s\S]*?[^\\]\n/m.exec(dockerfile)?.[0].replaceAll(/\s*\\\n\s*/g, ' ') ?? '';
  expect(env.trim().split(' ')).toEqual(
    expect.arrayContaining(['WORKERS=80', 'PM=dynamic', 'GZIP=true', 'JIT=off']),
  );
  expect(dockerfile.trimEnd().split('\n').at(-1)).toBe('COPY --from=app --chown=www-data:www-data . /app');
});
