// Rules for the same answer of two runtimes, learned from fresh starts: apps differ for good reasons and for bad ones.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leftovers, makeProject, type Project } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(async () => {
  project.remove();
  expect(await leftovers()).toEqual([]);
});

/** A page that is made once and kept, as wikis and shops do; it says when, and which server asked for it first. */
const CACHED = `<?php
$file = sys_get_temp_dir() . '/page.html';
if (!is_file($file)) {
    [$kept, $server] = [date('YmdHis'), PHP_SAPI];
    file_put_contents($file, "<h1>Wiki</h1>" . str_repeat('<p>words</p>', 50) . "<!-- kept at $kept -->");
    // Long enough for the next variant to keep it at another second.
    usleep(1100000);
}
readfile($file);`;

/** It fills its database in the first request, as Kanboard does. A second one meanwhile finds it locked. */
const FILLS = `<?php
$filled = sys_get_temp_dir() . '/filled';
if (!is_file($filled)) {
    if (!@mkdir("$filled.lock")) {
        http_response_code(503);
        exit('database is locked');
    }
    usleep(500000);
    touch($filled);
}
echo '<h1>Board</h1>';`;

/** Served by Apache, it says so. */
const UNLIKE = `<?php echo '<h1>', PHP_SAPI === 'apache2handler' ? 'Hello' : 'Hi', '</h1><p>from ', PHP_SAPI, '</p>';`;

/** The same with a word more that differs. */
const GREETING = `${UNLIKE} echo PHP_SAPI === 'apache2handler' ? 'Good day' : 'Good night';`;

/** Serves each app by two runtimes; why each variant failed, by its id, is in `failures`. */
async function bench(out: string, apps: Record<string, string>, ...flags: string[]) {
  for (const [app, page] of Object.entries(apps)) {
    mkdirSync(join(project.folder, app), { recursive: true });
    writeFileSync(join(project.folder, app, 'index.php'), page);
  }
  const run = project.bench(
    out,
    ...['--app', Object.keys(apps).join(','), '--runtimes', 'apache,nginx-fpm'],
    ...(flags.includes('--paths') ? [] : ['--paths', '/']),
    ...['--timeout', '6s', '--wait', ...flags],
  );
  const { code, stdout, stderr } = await run.done;
  const results = project.results(out);
  const failures = Object.fromEntries(
    results.variants.map(({ id, failure }) => [id, failure?.reason ?? null]),
  );
  return { code, failures, results, stdout, stderr };
}

test('rules that one of both servers obeys are named where their answers differ', async () => {
  mkdirSync(join(project.folder, 'rules'), { recursive: true });
  const rules = 'RewriteEngine On\nRewriteRule ^post/(\\d+)$ post.php?id=$1 [L]\n';
  writeFileSync(join(project.folder, 'rules/.htaccess'), rules);
  writeFileSync(join(project.folder, 'rules/post.php'), `<?php echo '<h1>Post ', $_GET['id'], '</h1>';`);
  const home = `<?php echo '<h1>All posts</h1>';`;
  const { failures, stderr } = await bench(
    'obeyed',
    { rules: home },
    '--paths',
    '/post/7',
    '--instances',
    '1',
  );
  expect(failures, stderr).toEqual({
    'apache@8.4': null,
    'nginx-fpm@8.4': expect.stringMatching(
      /`mask`.* apache@8\.4 obeys \.htaccess, nginx-fpm@8\.4 does not: if that is the reason, choose another path/,
    ),
  });
});

/** Keeps the address by which it was installed, as blogs do. */
const STORED = `<?php
$file = sys_get_temp_dir() . '/address';
if (isset($_GET['install'])) {
    file_put_contents($file, $_SERVER['HTTP_HOST']);
    exit('gd is not there, but who cares');
}
echo '<title>Installation Wizard</title><h1>Blog</h1><link href="//', file_get_contents($file), '/style.css">';`;

test('an app that has stored the address of its set-up: the message names the Host header', async () => {
  const setUp = (header: string) => ['--set-up', `curl -fsS ${header} "http://127.0.0.1:$PORT/?install=1"`];
  const wrong = await bench('by-port', { stored: STORED }, '--instances', '1', ...setUp(''));
  expect(wrong.failures, wrong.stderr).toEqual({
    'apache@8.4': null,
    'nginx-fpm@8.4': expect.stringMatching(
      /:1808\d.* instead of .*:1808\d.*, even after a second start\. .*`mask`.*stored its address in `set-up`, send the header 'Host: app\.test' there$/,
    ),
  });
  const right = await bench(
    'by-host',
    { stored: STORED },
    '--instances',
    '1',
    ...setUp('-H "Host: app.test"'),
  );
  expect(right.failures, right.stderr).toEqual({ 'apache@8.4': null, 'nginx-fpm@8.4': null });
  expect(right.stderr).toMatch(/instance 1\/1: set-up of (stored\/)?nginx-fpm@8\.4/);
  // It may have ended well and done nothing.
  expect(right.stdout.replaceAll(/\s+/g, ' ')).toContain(
    "`set-up` did not fail, but printed 'gd is not there, but who cares'; install the app",
  );
});

/** Its installer shows why it did not write the file, with HTTP 200. */
const UNWRITTEN = `<?php
if (isset($_GET['install'])) exit('config.php is not writable');
require __DIR__ . '/config.php';`;

test('an installer that ends well without effect: the failed check shows what it printed', async () => {
  const setUp = ['--set-up', 'curl -fsS "http://127.0.0.1:$PORT/?install=1"'];
  const { failures, stderr } = await bench('in-vain', { unwritten: UNWRITTEN }, '--instances', '1', ...setUp);
  expect(failures, stderr).toEqual({
    'apache@8.4': expect.stringMatching(
      /^GET \/ answers HTTP 500; its log: .*config\.php.*\. `set-up` did not fail, but printed 'config\.php is not writable'$/,
    ),
    'nginx-fpm@8.4': expect.stringMatching(
      /`set-up` did not fail, but printed 'config\.php is not writable'$/,
    ),
  });
});

test('what a second start of each variant changes is no difference, and all else is one', async () => {
  const apps = { kept: CACHED, unlike: UNLIKE };
  const { code, failures, results, stdout, stderr } = await bench('strict', apps, '--instances', '2');
  expect(failures, stderr).toEqual({
    ...{ 'kept/apache@8.4': null, 'kept/nginx-fpm@8.4': null, 'unlike/apache@8.4': null },
    'unlike/nginx-fpm@8.4': expect.stringMatching(
      /^GET \/ answers differently from unlike\/apache@8\.4: ‘<h1>Hi<\/h1>.*’ instead of ‘<h1>Hello.*’, even after a second start\. .*`mask`.*`same-answers: warn`$/,
    ),
  });
  expect(code).toBe(3);
  expect(stdout).toContain('`same-answers: warn`');
  // In the first instance alone, and none of them measured twice.
  expect(stderr.match(/answers differ; starting .* again to learn/g)).toHaveLength(1);
  const measured = results.measurements.map(({ variant, instance }) => `${variant} ${instance}`);
  expect(measured.sort()).toEqual(
    [...Object.keys(failures)]
      .filter((id) => !failures[id])
      .flatMap((id) => [`${id} 0`, `${id} 1`])
      .sort(),
  );
  // The servers that are loaded are those that started last: their CPU is read.
  for (const { okCount, requests, cpu } of results.measurements) {
    expect(okCount).toBe(requests);
    expect(cpu?.usedUs).toBeGreaterThan(0);
  }
});

test('what `mask` matches is left out, and nothing else', async () => {
  const masks = ['--mask', 'from [a-z0-9-]+', '--mask', 'Hi|Hello'];
  expect(await bench('masked', { unlike: UNLIKE, greeting: GREETING }, ...masks)).toMatchObject({
    code: 3,
    failures: {
      ...{ 'unlike/apache@8.4': null, 'unlike/nginx-fpm@8.4': null, 'greeting/apache@8.4': null },
      'greeting/nginx-fpm@8.4': expect.stringContaining('Good night'),
    },
  });
});

test('with `same-answers: warn` it is measured, once with a warning', async () => {
  const { code, failures, results, stderr } = await bench(
    'warned',
    { unlike: UNLIKE },
    ...['--same-answers', 'warn', '--instances', '2'],
  );
  expect({ code, failures }, stderr).toEqual({
    code: 0,
    failures: { 'apache@8.4': null, 'nginx-fpm@8.4': null },
  });
  expect(results.warnings.filter((warning) => warning.code === 'answers-differ')).toMatchObject([
    {
      message: expect.stringMatching(/^nginx-fpm@8\.4: GET \/ answers differently from apache@8\.4: /),
      remedy: expect.stringContaining('`mask`'),
      variant: 'nginx-fpm@8.4',
    },
  ]);
});

test('an app that fills its database in the first request gets no second one meanwhile', async () => {
  const { failures, stderr } = await bench(
    'filled',
    { fills: FILLS },
    '--instances',
    '2',
    '--paths',
    '/,/?page=2',
  );
  expect(failures, stderr).toEqual({ 'apache@8.4': null, 'nginx-fpm@8.4': null });
});
