// An app that passes the check and then answers something else is found under load, with its cause; one whose pages vary is not.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../src/results/results.ts';
import { makeProject, type Project, slicesOf, variantOf } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

/** Two are asked before the load; one more comes behind it. */
const REQUESTS = 400;
const FLIP = 60;

/** Each request has a number of its own, also where two come at once. */
const COUNT = `<?php
$file = fopen('/tmp/count', 'a');
flock($file, LOCK_EX);
fwrite($file, '.');
$count = fstat($file)['size'];
fclose($file);
$page = '<title>Garden tools</title><ul>' . str_repeat('<li>Wheelbarrow, galvanised</li>', 60) . '</ul>';
$excuse = '<title>Excuse</title>' . str_repeat('Error establishing a database connection. ', 60);
`;
const APPS: Readonly<Record<string, string>> = {
  steady: `${COUNT} echo $page;`,
  shorter: `${COUNT} echo $count < ${FLIP} ? $page : substr($page, 0, 900);`,
  redirect: `${COUNT} if ($count >= ${FLIP}) header('Location: /login'); echo $page;`,
  // As long as the page.
  excuse: `${COUNT} echo $count < ${FLIP} ? $page : substr(str_repeat($excuse, 2), 0, strlen($page));`,
  // The engine gives a container 64 MiB there.
  cache: `${COUNT}
    $kept = @file_put_contents("/dev/shm/$count", str_repeat('x', 1 << 20));
    if ($kept === 1 << 20) { echo $page; return; }
    file_put_contents('php://stderr', "cache: no space left\\n");
    echo 'Cannot write /dev/shm/cache: No space left on device';`,
  // Right to the last request of the load.
  late: `${COUNT} echo $count <= ${REQUESTS + 2} ? $page : 'Cannot connect';`,
  random: `${COUNT} echo $page . str_repeat('. ', random_int(0, 4000));`,
  // Its message is in the body alone.
  refused:
    "<?php http_response_code(500); echo '<html><style>p { color: red }</style><p>Access denied for user shop</p></html>';",
  broken: '<?php\nfunction page() {\n  return 1 echo 2;\n}\n',
  // Less than one of a hundred sees something else.
  odd: `${COUNT} if ($count % 150 === 0) header('Location: /survey'); echo $page;`,
};

describe('apps that answer otherwise under load', () => {
  let results: Results;
  let stdout: string;
  let stderr: string;
  let code: number;

  beforeAll(async () => {
    for (const [name, php] of Object.entries(APPS)) project.write({ [`ours/${name}/index.php`]: php });
    const apps = Object.keys(APPS).map((name) => `ours/${name}`);
    const run = project.run(
      'otherwise',
      ...['--app', apps.join(','), '--runtimes', 'apache', '--paths', '/'],
      ...['--load', `requests(${REQUESTS}, 2)`, '--timeout', '10s', '--warmup', '0s'],
      ...['--instances', '1', '--blocks', '1', '--wait'],
    );
    ({ code, stdout, stderr } = await run.done);
    results = project.results('otherwise');
  });

  it('ends with exit code 3', () => expect(code, stderr).toBe(3));

  it.each([
    ['shorter', /of \/ were not the checked one: \d+ characters instead of \d+ to \d+/],
    ['redirect', /of \/ were not the checked one: HTTP 302 to \/login instead of HTTP 200/],
    ['excuse', /of \/ were not the checked one: \d+ of \d+ words that it contained before/],
    ['cache', /of \/ were not the checked one: 52 characters instead of/],
  ])('%s: its slice is void, and it is failed with the answer', (name, reason) => {
    const id = `${name}/apache@8.4`;
    expect(slicesOf(results, id)).toMatchObject([
      { outcome: 'void', code: 'other-answers', reason: expect.stringMatching(reason) },
    ]);
    expect(variantOf(results, id).failure).toMatchObject({
      stage: 'run',
      reason: expect.stringMatching(reason),
    });
  });

  it('names how many they were', () => {
    const [slice] = slicesOf(results, 'redirect/apache@8.4');
    // Those that came before were right.
    expect(slice?.others).toMatchObject({ kind: 'other status', of: REQUESTS, isVoid: true });
    expect(slice?.others?.count).toBeGreaterThan(REQUESTS - FLIP - 5);
    expect(slice?.others?.count).toBeLessThan(REQUESTS);
  });

  it('keeps what was answered and what the app has logged meanwhile', () => {
    const { failure } = variantOf(results, 'cache/apache@8.4');
    expect(failure?.answer).toMatchObject({
      status: 200,
      headers: expect.stringMatching(/^Content-Type: text\/html/m),
      body: 'Cannot write /dev/shm/cache: No space left on device',
    });
    expect(failure?.log).toContain('cache: no space left');
    expect(failure?.log).not.toContain('resuming normal operations');
    const raw = join(project.folder, 'otherwise/raw/answers/cache_apache@8.4.txt');
    expect(existsSync(raw) && readFileSync(raw, 'utf8')).toContain('No space left on device');
  });

  const plain = (text: string) => text.replace(/\s*\n\s*(\| )?/g, ' ').replaceAll('\\', '');
  const report = () => readFileSync(join(project.folder, 'otherwise/report.md'), 'utf8');
  const page = () => readFileSync(join(project.folder, 'otherwise/report.html'), 'utf8');

  it.each([
    ['refused', 'Access denied for user shop'],
    ['cache', 'Cannot write /dev/shm/cache: No space left on device'],
    ['late', 'Cannot connect'],
  ])('shows what %s answered in the terminal and the reports', (_, said) => {
    expect(stdout).toMatch(new RegExp(`^    it answered\\n(?:    \\|.*\\n)*?    \\| ${said}$`, 'm'));
    expect(stdout).not.toContain('color: red');
    expect(report()).toContain(`\n\n${said}`);
    expect(page()).toContain(`\n\n${said}`);
  });

  it('names the cause of an error that is in the body alone', () =>
    expect(variantOf(results, 'refused/apache@8.4').failure?.reason).toBe(
      'GET / answers HTTP 500; its text: Access denied for user shop',
    ));

  it('names file and line of an error of PHP, and no noise of the start', () => {
    const said = /syntax error, unexpected token "echo", expecting ";" in \/app\/\S*index\.php on line 3/;
    expect(variantOf(results, 'broken/apache@8.4').failure?.reason).toMatch(said);
    expect(plain(stdout)).toMatch(said);
    expect(plain(stdout)).not.toContain('resuming normal operations');
  });

  it('shows what was logged meanwhile', () => {
    expect(stdout).toMatch(/^ {4}and logged\n(?: {4}\|.*\n)*? {4}\| .*cache: no space left/m);
    expect(report()).toContain('cache: no space left');
    expect(page()).toContain('cache: no space left');
  });

  it('asks once more after the load', () => {
    expect(slicesOf(results, 'late/apache@8.4')).toMatchObject([{ outcome: 'ok' }]);
    expect(variantOf(results, 'late/apache@8.4').failure).toMatchObject({
      stage: 'run',
      reason: expect.stringMatching(
        /^GET \/ answers differently after the load: 14 characters instead of .*Cannot connect/,
      ),
    });
  });

  it.each(['steady', 'random', 'odd'])('%s is measured', (name) => {
    const id = `${name}/apache@8.4`;
    expect(variantOf(results, id).failure).toBeNull();
    expect(slicesOf(results, id)).toMatchObject([{ outcome: 'ok', requests: REQUESTS, okCount: REQUESTS }]);
  });

  it('counts what is odd now and then', () => {
    const [slice] = slicesOf(results, 'odd/apache@8.4');
    expect(slice?.others).toMatchObject({ kind: 'other status', count: 2, of: REQUESTS, isVoid: false });
    expect(slice?.others?.what).toContain('/survey');
  });
});

describe('an app that answers otherwise while both of its refs are loaded at once', () => {
  /** Fewer are asked in the check and in turns, more in the duets behind them. */
  const TURNS = 110;

  it('fails as it does in a turn', async () => {
    const own = await makeProject();
    try {
      const index = 'app/index.php';
      own.commit({ [index]: `${COUNT} echo $page;` });
      // As before once the duets are over.
      own.write({ [index]: `${COUNT} echo $count > ${TURNS} && $count <= ${TURNS + 25} ? $excuse : $page;` });
      const { code, stderr } = await own.run(
        'duets',
        ...['--app', 'app', '--runtimes', 'apache', '--paths', '/', '--compare-to', 'HEAD'],
        ...['--load', 'const(100, 1s)', '--warmup', '0s', '--instances', '1', '--blocks', '1', '--wait'],
      ).done;
      const results = own.results('duets');
      expect(slicesOf(results, 'apache@8.4'), stderr).toMatchObject([{ outcome: 'ok' }]);
      expect(results.duets.map(({ outcome }) => outcome)).toContain('void');
      expect(variantOf(results, 'apache@8.4').failure).toMatchObject({
        stage: 'run',
        reason: expect.stringMatching(/^other answers: \d+ of \d+ of \/ were not the checked one/),
        answer: { body: expect.stringContaining('Excuse') },
      });
      expect(variantOf(results, 'apache@8.4:base').failure).toBeNull();
      expect(code).toBe(3);
    } finally {
      await own.remove();
    }
  });
});
