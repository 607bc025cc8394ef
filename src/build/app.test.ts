import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addSteps } from './app.ts';

const recipe = readFileSync(join(import.meta.dirname, '../../runtimes/_app/Dockerfile'), 'utf8');

test('the recipe gets the names of variables and commands, never their text', () => {
  const text = addSteps(recipe, { env: { DB_HOST: 'x\nRUN evil' }, prepare: ['RUN evil', 'b'] });
  expect(text).not.toContain('evil');
  expect(text).not.toContain('# {env}\n');
  expect(text).not.toContain('# {prepare}\n');
  const steps = text.split('\n').filter((line) => /^(FROM|COPY|ARG|RUN|WORKDIR)/.test(line));
  expect(steps.slice(steps.indexOf('COPY . .'))).toEqual([
    ...['COPY . .', 'ARG DB_HOST', 'ARG APP_ENV', 'ARG APP_DEBUG', 'ARG BENCH_INSTALL=""'],
    expect.stringMatching(/^RUN --mount/),
    'ARG BENCH_PREPARE_1',
    'RUN php /usr/local/share/php-runtime-bench/build.php prepare "$BENCH_PREPARE_1"',
    'ARG BENCH_PREPARE_2',
    'RUN php /usr/local/share/php-runtime-bench/build.php prepare "$BENCH_PREPARE_2"',
    ...['RUN php /usr/local/share/php-runtime-bench/build.php warm', 'FROM scratch'],
    'COPY --from=build /app /',
  ]);
});
