import { expect, test } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import { memoryFiles } from '../../test/fixtures/memory-files.ts';
import { parseConfig } from '../config/parse.ts';
import { describeSubject } from './subject.ts';

const describe = (files: Record<string, string>, ...flags: string[]) => {
  const config = parseConfig({ flags, cwd: '/shop', packageRoot: root, files: memoryFiles('/shop', files) });
  return describeSubject(config, root);
};

test('a plan names app, document root, host, paths, load and timeout', () => {
  expect(describe({ 'web/index.php': '' }, '--paths', '/,/api', '--load', 'vus(4, 2s)')).toEqual([
    'app:       shop in /shop, document root web/; kind plain',
    'PHP:       8.4',
    'host:      app.test',
    'scenario:  paths: / /api; vus(4, 2s); timeout 2000 ms',
  ]);
});

test('a plan names the headers of requests, but not their values', () => {
  const lines = describe({ 'index.php': '' }, '--headers', 'authorization=Bearer s3cret,X-A=1');
  expect(lines).toContain('headers:   Authorization, X-A');
  expect(lines.join()).not.toContain('s3cret');
});

test('a plan names the kind of an app, its extensions, and that the build makes its index.php', () => {
  const require = { 'typo3/cms-core': '^13', 'ext-intl': '*', 'ext-gd': '*' };
  const [app] = describe({ 'composer.json': JSON.stringify({ require }) });
  expect(app).toBe(
    'app:       shop in /shop, document root public/, index.php made by the build; kind plain; extensions intl, gd',
  );
});

test('a plan in a folder without an app names the demo that it takes', () => {
  const [app] = describe({ 'README.md': '' });
  expect(app).toBe('app:       plain, a bundled demo; measure your own app with --app DIR');
});

test('a name cannot forge lines of a plan', () => {
  expect(describe({ 'app\u001b/index.php': '' }, '--app', 'app\u001b').join('')).not.toContain('\u001b');
});
