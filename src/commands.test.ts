import { expect, test } from 'vitest';
import { withoutSecrets } from './commands.ts';

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
