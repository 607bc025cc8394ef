import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';

useFolder();

test('the longest summary is one that the runner keeps, with the line break behind it', () => {
  const file = join(folder, 'summary.md');
  writeFileSync(file, '');
  const script = `import { SUMMARY_BYTES } from ${JSON.stringify(join(import.meta.dirname, 'api/fit-size.ts'))};
import { realOutlets } from ${JSON.stringify(join(import.meta.dirname, 'outlets.ts'))};
await realOutlets.writeSummary('x'.repeat(SUMMARY_BYTES));`;
  // The toolkit keeps the name of the file that it was first given.
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, GITHUB_STEP_SUMMARY: file },
  });
  expect(statSync(file).size).toBe(1024 * 1024);
});
