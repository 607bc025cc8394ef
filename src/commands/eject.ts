import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Files } from '../config/files.ts';
import { formatChoice } from '../config/keys/choices.ts';
import { frameworkEnvironment } from '../config/parts/apps.ts';
import { UNSERVED_FILES } from '../config/parts/dockerignore.ts';
import { quote } from '../config/text.ts';
import type { App, OptionSpec, OptionValue, Runtime, RuntimeChoice } from '../config/types.ts';
import { readMachineError, UserError } from '../errors.ts';
import { AUTH_FILE } from '../images/secret.ts';

/** A file of an ejected folder, by its path in it: with this text, or a copy of another file with its mode. */
export type Ejected = { path: string } & ({ text: string } | { from: string });

/**
 * A runtime as a folder of its own, which `docker build` takes as it is. It has the Dockerfile with the options in
 * force, the configuration, what it shares with other runtimes, and a place for the app.
 */
export function eject({ runtime, set }: RuntimeChoice, packageRoot: string, files: Files): Ejected[] {
  if (set.front !== undefined && set.front !== runtime.options.front?.default) {
    throw new UserError('the proxy of `front` is not part of an ejected runtime', {
      found: quote(formatChoice({ runtime, set })),
      hint: 'leave out front, and add your own proxy',
    });
  }
  const dockerfile = files.read(join(runtime.folder, 'Dockerfile')) ?? '';
  const shared = join(packageRoot, 'runtimes', '_shared');
  const own = listFiles(runtime.folder, files).filter(
    (path) => !['Dockerfile', 'runtime.yaml', '.dockerignore'].includes(path),
  );
  return [
    { path: 'Dockerfile', text: standAlone(dockerfile, runtime, set) },
    { path: '.dockerignore', text: leaveOut(files.read(join(runtime.folder, '.dockerignore'))) },
    { path: 'README.md', text: explain(runtime, set, dockerfile.includes('options.sh')) },
    ...own.map((path) => {
      // Its place is taken, also where case does not count.
      const isReadme = path.toLowerCase() === 'readme.md';
      return { path: isReadme ? 'README.own.md' : path, from: join(runtime.folder, path) };
    }),
    ...sharedFiles(dockerfile, listFiles(shared, files)).map((name) => {
      const [path, from] = [`shared/${name}`, join(shared, name)];
      return name === 'php.ini' ? { path, text: forProduction(files.read(from) ?? '') } : { path, from };
    }),
    ...PLACEHOLDER,
  ];
}

/** Errors: UserError unless the folder is not there yet, or empty. */
export function refuseFull(folder: string, files: Files): void {
  if (files.kind(folder) !== 'file' && files.list(folder).length === 0) return;
  throw new UserError('the folder is not empty', {
    found: quote(folder),
    allowed: 'a new folder, or an empty one',
    hint: 'choose another: --out DIR',
  });
}

/** Writes the files into a folder that is not there yet, or empty. Errors: UserError, also if it cannot be made. */
export async function writeEjected(folder: string, ejected: readonly Ejected[], files: Files): Promise<void> {
  refuseFull(folder, files);
  try {
    for (const file of ejected) {
      const to = join(folder, file.path);
      await mkdir(dirname(to), { recursive: true });
      if ('text' in file) await writeFile(to, file.text);
      else await copyFile(file.from, to);
    }
  } catch (error) {
    throw (
      readMachineError(error) ??
      new UserError('cannot write to the folder', {
        ...{ where: { name: '--out' }, found: (error as Error).message },
        ...{ allowed: 'a path where a folder can be made', hint: 'choose another: --out DIR' },
      })
    );
  }
}

/** Those that the Dockerfile names in `COPY --from=shared NAME… DESTINATION`; all, if it takes any in another way. */
function sharedFiles(dockerfile: string, all: readonly string[]): readonly string[] {
  const names = dockerfile
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /\bfrom[= ]shared\b/i.test(line))
    .flatMap((line) => (line.startsWith('COPY ') ? sourcesOf(line) : [line]));
  return names.every((name) => all.includes(name)) ? all.filter((name) => names.includes(name)) : all;
}

const sourcesOf = (copy: string) =>
  copy
    .trim()
    .split(/\s+/)
    .slice(1, -1)
    .filter((word) => !word.startsWith('--'));

/** PHP removes old sessions, as no cron job does in a container. */
function forProduction(phpIni: string): string {
  return phpIni.replace(
    /^session\.gc_probability = 0$/m,
    '; So php-runtime-bench measures with 0. Here it is 1: nothing else removes old sessions from the container.\nsession.gc_probability = 1',
  );
}

/** Lines of the `.dockerignore`: the runtime's own, which are about neither folder, then what no app serves, and Composer's credentials. */
function leaveOut(own: string | null): string {
  const names = [...UNSERVED_FILES, AUTH_FILE];
  return [...(own === null ? [] : [own, '!app', '!shared']), ...names.map((name) => `app/${name}`), ''].join(
    '\n',
  );
}

const STAGES = `
# Named contexts of the Dockerfiles. The app is the folder beside this file, or any other:
#   docker build --build-context app=PATH .
FROM scratch AS app
COPY app /
FROM scratch AS shared
COPY shared /
`;

function standAlone(dockerfile: string, { options }: Runtime, set: RuntimeChoice['set']): string {
  const value = valueIn(set);
  const presets = Object.entries(options).flatMap(([option, spec]) =>
    spec.at === 'build' ? [[`ARG ${spec.env}`, value(option, spec)] as const] : [],
  );
  const lines = dockerfile
    .split('\n')
    .filter((line) => line !== '# hadolint ignore=DL3022')
    .map((line) => {
      const preset = presets.find(([arg]) => arg === line.trim().split(/[ =]+/, 2).join(' '));
      return preset ? preset.join('=') : line;
    });
  // Behind the arguments that FROM lines use: those have to come first.
  const firstFrom = lines.findIndex((line) => line.startsWith('FROM '));
  const stages = lines.slice(0, firstFrom).findLastIndex((line) => line.startsWith('ARG ')) + 1;
  lines.splice(stages, 0, ...STAGES.trimEnd().split('\n'), '');
  const settings = Object.entries(options).filter(([, spec]) => spec.at === 'run');
  const env = settings.map(([option, spec]) => `${spec.env}=${value(option, spec)}`);
  const app = lines.findLastIndex((line) => /^COPY .*--from=app /.test(line));
  if (env.length > 0)
    lines.splice(
      app,
      0,
      '# Options. Override them when you start the container.',
      `ENV ${env.join(' \\\n    ')}`,
    );
  return lines.join('\n');
}

const valueIn =
  (set: Readonly<Record<string, OptionValue>>) =>
  (option: string, { default: preset }: OptionSpec): string =>
    String(set[option] ?? preset);

const environmentOf = (kind: App['kind']) =>
  Object.entries(frameworkEnvironment({ kind }, {}))
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(' and ');

/** @param readsIni whether it reads BENCH_INI */
function explain(runtime: Runtime, set: RuntimeChoice['set'], readsIni: boolean): string {
  const { name, title, options, stop, docs, php } = runtime;
  const value = valueIn(set);
  const rows = Object.entries(options)
    .filter(([, spec]) => spec.at !== 'front')
    .map(([option, spec]) => [
      `\`${spec.env}\``,
      `\`${value(option, spec)}\``,
      `${spec.about.replaceAll('|', '\\|')}${spec.at === 'build' ? ' A build argument.' : ''}`,
    ]);
  const table = [
    ['variable', 'value', 'sets'],
    ['--', '--', '--'],
    ['`PORT`', '`8080`', 'Port to listen on.'],
    ['`DOCROOT`', '`public`', "Document root within the app's folder."],
    ...rows,
    ...(readsIni ? [['`BENCH_INI`', 'none', 'Lines for php.ini, such as `post_max_size = 32M`.']] : []),
  ];
  return `# ${name}

${title}, as php-runtime-bench measures it: \`${formatChoice({ runtime, set })}\`. [Its documentation](${docs}).

Put a production build of your app instead of the folder \`app\`: with its packages (\`composer install --no-dev\`) and the caches of
its framework (\`bin/console cache:warmup\`, \`artisan optimize\`). Fill these where the app is in \`/app\`, as some contain absolute paths.
Or name the folder of such a build:

    docker build --build-context app=../my-app --tag my-app .
    docker run --publish 8080:8080 --env DOCROOT=public my-app

From the folder \`app\`, git's files and Composer's credentials do not get into the image: \`.dockerignore\` beside this file lists them.
Add all that production does not need, such as \`app/.env.local\`. For a folder that you name, only the \`.dockerignore\` in it applies.
List \`.git\` and \`auth.json\` there, but not \`vendor\` or the caches.

It was measured with ${environmentOf('symfony')} for
Symfony, and with ${environmentOf('laravel')} for Laravel and Lumen. Set them, too, or Symfony runs for development. The keys
\`env\`, \`ini\` and \`extensions\` of \`.bench.yml\` are not included: set them here.

Another version of PHP is \`--build-arg PHP_VERSION=${php.at(-1)}\`, extensions are \`--build-arg EXTENSIONS='intl gd'\`.
It runs as www-data, writes its logs to standard error, and on ${stop.signal} a request in flight ${stop.inFlight}: give it
${stop.timeoutMs / 1000} s (\`docker stop --time ${stop.timeoutMs / 1000}\`). It has no HEALTHCHECK; where one is wanted, ask it for a page.

${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
`;
}

/** Something to see until the app is there: for servers that start it for each request, and for those that keep it. */
const PLACEHOLDER: readonly Ejected[] = [
  { path: 'app/public/index.php', text: '<?php\n\necho "Put your app instead of the folder app.\\n";\n' },
  {
    path: 'app/handler.php',
    text: `<?php

return fn (array $request): array => [
    'status' => 200,
    'headers' => ['Content-Type' => 'text/plain'],
    'body' => "Put your app instead of the folder app.\\n",
];
`,
  },
];

/** All files below a folder, as paths within it. */
function listFiles(folder: string, files: Files, within = ''): string[] {
  return files.list(join(folder, within)).flatMap((name) => {
    const path = join(within, name);
    const kind = files.kind(join(folder, path));
    return kind === 'folder' ? listFiles(folder, files, path) : kind === 'file' ? [path] : [];
  });
}
