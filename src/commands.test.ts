import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { folder, useFolder } from '../test/fixtures/folder.ts';
import { makeResults } from '../test/fixtures/results/make.ts';
import { runCommand } from './commands.ts';
import { withoutSecrets } from './config/keys/flags.ts';
import { realHost } from './host.ts';

useFolder();
afterEach(() => vi.restoreAllMocks());

test('values of headers are kept out of the report', () => {
  expect(
    withoutSecrets([
      'run',
      '--headers',
      'Authorization=Bearer s3cret,X-A=b',
      '--headers=X-B=s3cret',
      '--wait',
    ]),
  ).toEqual(['run', '--headers', 'Authorization=…', '--headers=X-B=…', '--wait']);
});

test('values of the environment are kept out of the report', () => {
  expect(
    withoutSecrets([
      'run',
      '--env',
      'DB_URL=mysql://u:pw@h/db?a=b',
      '--env=KEY=s3cret\nmore',
      '--php',
      '8.4',
    ]),
  ).toEqual(['run', '--env', 'DB_URL=…', '--env=KEY=…', '--php', '8.4']);
});

test('a value without a name is kept out of the report as a whole', () => {
  expect(withoutSecrets(['run', '--env', 's3cret', '--headers=s3cret'])).toEqual([
    ...['run', '--env', '…', '--headers=…'],
  ]);
});

test('commands and PHP settings of the app are kept out of the report', () => {
  const commands = ['--prepare', 'npm config set x s3cret', '--set-up=A=s3cret php a.php\nphp b.php s3cret'];
  const settings = ['--ini', 'a.license=s3cret', '--wait', '--ini=b=s3cret'];
  expect(withoutSecrets(['run', ...commands, ...settings])).toEqual([
    ...['run', '--prepare', '…', '--set-up=…'],
    ...['--ini', 'a.license=…', '--wait', '--ini=b=…'],
  ]);
});

test('a terminal that does not know its size has the width of none', async () => {
  const { columns } = process.stdout;
  let printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  try {
    const servers = ['apache@8.4', 'nginx-fpm@8.4'].map((id) => ({ id, rps: 400 }));
    writeFileSync(join(folder, 'results.json'), JSON.stringify(makeResults({ servers })));
    // As of `docker run --tty` and `ssh -tt` without a terminal around.
    process.stdout.columns = 0;
    await runCommand(['report', folder], realHost, join(import.meta.dirname, '..'));
  } finally {
    process.stdout.columns = columns;
  }
  expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeGreaterThan(80);
});
