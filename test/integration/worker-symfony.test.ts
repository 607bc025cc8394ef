/** A Symfony app under runtimes/_shared/worker.php, in the PHP of the command line, without a server around it. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from './app-images.ts';
import { root, runToEnd } from './docker.ts';
import { type Answer, drive, type Sent } from './worker-driver.ts';

let image: string;
beforeAll(async () => {
  const built = (await buildApp(join(root, 'test/apps/symfony-leak'), ['apache'])).get('apache');
  if (!built || 'failure' in built) throw new Error(built?.failure);
  image = built.tag;
});

const ask = async (requests: readonly Sent[]) => {
  const env = { APP_KIND: 'symfony', APP_ENV: 'prod', APP_DEBUG: '0' };
  const { answers, stderr } = await drive(image, requests, { env });
  expect(answers, stderr).toHaveLength(requests.length);
  return answers;
};
const cookiesOf = ({ headers }: Answer) =>
  (headers['Set-Cookie'] ?? []).map((line) => line.replace(/=[\w,-]{20,};/, '=id;').split('; ')[0]);

describe('a Symfony app that stays in memory', () => {
  it('sends the cookies of Symfony’s session alone', async () => {
    const answers = await ask([
      { uri: '/nothing' },
      { uri: '/session' },
      { uri: '/session', again: true },
      { uri: '/' },
      { uri: '/logout', again: true },
    ]);
    expect(answers.map(({ body }) => body)).toEqual(['0', '1', '2', expect.anything(), 'bye']);
    const deleted = expect.stringMatching(/^PHPSESSID=(deleted)?$/);
    expect(answers.map(cookiesOf)).toEqual([[], ['PHPSESSID=id'], [], [], [deleted]]);
  });

  it('has the cookie of a session that the app closed itself', async () => {
    const answers = await ask([{ uri: '/closed' }, { uri: '/closed', again: true }, { uri: '/closed' }]);
    expect(answers.map(({ body }) => body)).toEqual(['1', '2', '1']);
    expect(answers.map(cookiesOf)).toEqual([['PHPSESSID=id'], [], ['PHPSESSID=id']]);
  });

  it('answers with what it streams, whatever its buffers', async () => {
    const answers = await ask([{ uri: '/stream' }, { uri: '/stream?flush=1' }, { uri: '/stream' }]);
    expect(answers.map(({ body }) => body)).toEqual(Array(3).fill('one, two, three'));
    expect(new Set(answers.map(({ level }) => level)).size).toBe(1);
  });

  it('may stream more than a buffer holds', async () => {
    const [answer] = await ask([{ uri: '/large?mb=90' }]);
    expect(answer?.body).toBe(`${90 << 20} bytes`);
  });

  // 0: as Workerman has it.
  it.each([4, 0])('gets no file of a field that was left empty, with the error %i', async (error) => {
    const none = { name: '', type: '', tmp_name: '', error, size: 0 };
    const [answer] = await ask([{ uri: '/upload', method: 'POST', files: { one: none } }]);
    expect(answer).toMatchObject({ status: 200, body: 'no file' });
  });
});

describe('options of symfony/runtime', () => {
  it('are those of index.php, and then of composer.json', async () => {
    const composer = {
      extra: { runtime: { disable_dotenv: true, env_var_name: 'X_ENV', project_dir: 'back' } },
    };
    const script = `
      require '/shared/worker.php';
      file_put_contents('/tmp/composer.json', $argv[1]);
      $_SERVER['APP_RUNTIME_OPTIONS'] = ['env_var_name' => 'Y_ENV'];
      echo json_encode(PhpRuntimeBench\\runtime_options('/tmp'));
    `;
    const { stdout } = await runToEnd(
      ...['--entrypoint', 'php', '--volume', `${join(root, 'runtimes/_shared')}:/shared:ro`],
      ...[image, '-r', script, JSON.stringify(composer)],
    );
    expect(JSON.parse(stdout)).toEqual({
      ...{ error_handler: false, env_var_name: 'Y_ENV', project_dir: '/tmp/back', disable_dotenv: true },
    });
  });
});
