/** Our Dockerfiles and manifests, compared with what the official base images are: test/fixtures/bases.yaml. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { realFiles } from '../../src/config/files.ts';
import { extensionsFor, judgeApp } from '../../src/config/parts/apps.ts';
import { loadRuntimes } from '../../src/config/parts/runtimes.ts';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';

const root = resolve(import.meta.dirname, '../..');

interface Base {
  php?: string[];
  os: string;
  user?: string;
  stop?: string;
  entrypoint?: string;
  commands?: string[];
  files: string[];
  env?: string[];
  extensions?: string[][];
  dropped?: Record<string, string>;
  own?: string[];
  conflicts?: string[];
  health?: boolean;
  ended?: boolean;
  source: string;
}
const bases: Record<string, Base> = parse(readFileSync(join(root, 'test/fixtures/bases.yaml'), 'utf8'), {
  merge: true,
});
const baseOf = (image: string): Base => {
  const found = bases[image];
  if (!found) throw new Error(`${image} is not in test/fixtures/bases.yaml`);
  return found;
};

const runtimes = [...loadRuntimes(root, root, realFiles).values()].filter(({ extends: base }) => !base);
const fronts = runtimes.flatMap(({ front }) => front ?? []).slice(0, 1);

/** A Dockerfile without comments, each instruction on a line; those of its last stage apart. */
function readDockerfile(name: string) {
  const text = readFileSync(join(root, 'runtimes', name, 'Dockerfile'), 'utf8').replace(/^\s*#.*\n/gm, '');
  const lines = text.replaceAll(/\\\n/g, ' ').replaceAll(`\${PHP_VERSION}`, '{php}').split('\n');
  const isPhp = (line: string) => /^FROM .*\{php\}/.test(line);
  const from = Math.max(
    lines.findLastIndex(isPhp),
    lines.findLastIndex((line) => line.startsWith('FROM')),
  );
  const last = lines.slice(name === '_app' ? lines.findIndex(isPhp) : from);
  return { lines, last, base: baseOf(last[0]?.split(' ')[1] ?? '') };
}
const named = [...runtimes, ...fronts].map(({ name, folder, stop }) => ({
  ...{ name, stop },
  dockerfile: readDockerfile(folder.split('/').at(-1) ?? ''),
}));

const standIns = [
  ...new Set(
    Object.keys(parse(readFileSync(join(root, 'test/standins/images.yml'), 'utf8'))).map((image) =>
      image.replace(/^php:\d+\.\d+-/, 'php:{php}-'),
    ),
  ),
];

test('every base image is in the table, and in use', () => {
  const used = [...runtimes, ...fronts].flatMap(({ base }) => base);
  expect([...new Set([...used, ...standIns, K6_IMAGE])].sort()).toEqual(Object.keys(bases).sort());
});

test('docs/images.md has a result for every runtime and PHP version', () => {
  const text = readFileSync(join(root, 'docs/images.md'), 'utf8');
  const table = /<!-- runs -->\n\n(.*?)\n\n<!-- \/runs -->/s.exec(text)?.[1] ?? '';
  const [head, , ...rows] = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const versions = head?.slice(2) ?? [];
  const listed = rows.map(([name, , ...results]) => ({
    name: name?.replaceAll('`', ''),
    php: versions.filter((_, at) => /^(served|not built|no packages)$/.test(results[at] ?? '')),
    others: versions.filter((_, at) => results[at] === 'not offered'),
  }));
  const offered = runtimes.map(({ name, php }) => ({
    ...{ name, php: versions.filter((version) => php.includes(version)) },
    others: versions.filter((version) => !php.includes(version)),
  }));
  expect(new Set(runtimes.flatMap(({ php }) => php))).toEqual(new Set(versions));
  expect(new Set(listed)).toEqual(new Set(offered));
});

test('each entry names the file that it was read in', () => {
  for (const { source } of Object.values(bases))
    expect(source).toMatch(/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}:[\w./-]+$/);
});

test.each(runtimes)('$name lists PHP versions that its base images have', ({ php, base, conflicts = [] }) => {
  for (const image of base.filter((name) => name.includes('{php}'))) {
    expect(baseOf(image).php).toEqual(expect.arrayContaining([...php]));
    expect(conflicts).toEqual(baseOf(image).conflicts ?? []);
  }
});

test.each(runtimes)('$name is maintained only if its base images are', ({ status, base }) => {
  if (base.some((image) => baseOf(image).ended)) expect(status).not.toBe('maintained');
});

/** The programs that a RUN starts, without those of the shell. */
function commandsOf(line: string): string[] {
  const script = line.replace(/^RUN (--\S+ +)*/, '').replaceAll(/'[^']*'/g, "''");
  return script
    .split(/&&|\|\||;|\||\bthen\b|[{}]/)
    .map((part) => part.trim().split(/\s+/)[0] ?? '')
    .filter((word) => word && !/^(if|fi|\[|exit|echo|command|grep|cp|rm|install|export)$/.test(word));
}

describe.each([...named, { name: '_app', dockerfile: readDockerfile('_app') }])('$name', ({ dockerfile }) => {
  const { lines, last, base } = dockerfile;

  test('runs what its base image has', () => {
    const brought = [
      'install-php-extensions',
      'composer',
      ...last.flatMap((line) => (/apt-get install .*\bapache2\b/.test(line) ? ['a2enmod'] : [])),
    ];
    const commands = last.filter((line) => line.startsWith('RUN')).flatMap(commandsOf);
    for (const command of commands) expect([...(base.commands ?? []), ...brought]).toContain(command);
  });

  test('builds as root', () => {
    let user = '';
    for (const line of lines) {
      const [word, image = ''] = line.split(/\s+/);
      if (word === 'FROM') user = bases[image]?.user ?? 'root';
      if (word === 'USER') user = image;
      if (word === 'RUN') expect(user, line).toBe('root');
    }
  });

  test('copies what other images have', () => {
    const copied = lines.flatMap((line) => {
      const from = /(?:COPY --from=|from=)([^\s,]+)/.exec(line)?.[1];
      const path = /(?:source=|COPY --from=\S+ )([^\s,]+)/.exec(line)?.[1];
      const stage = lines.find((other) => other.endsWith(` AS ${from}`))?.split(' ')[1];
      const image = stage ?? from;
      return image && path && bases[image] && path.startsWith('/usr/') ? [{ image, path }] : [];
    });
    for (const { image, path } of copied) expect(baseOf(image).files, image).toContain(path);
  });

  test('compiles no extension that its base image has', () => {
    const own = lines.flatMap(
      (line) => /^RUN install-php-extensions (.*)$/.exec(line)?.[1]?.split(' ') ?? [],
    );
    const built = [...(base.extensions ?? []).flat(), ...(base.own ?? [])];
    expect(built.filter((extension) => own.includes(extension))).toEqual([]);
  });

  test('lets every user read what it copies', () => {
    // Docker 29 gives the mode also to the folders that COPY creates, so 0644 would close them.
    const ours = lines.filter((line) =>
      /^COPY .* \/usr\/local\/(bin|etc|share\/php-runtime-bench)\//.test(line),
    );
    const copied = ours.filter((line) => !/ --from=(?!shared |builder )/.test(line));
    expect(copied.length).toBeGreaterThan(0);
    expect(copied.filter((line) => !line.includes(' --chmod=0755 '))).toEqual([]);
  });

  test('puts its php.ini where the base image reads it', () => {
    const target = lines
      .find((line) => /^COPY --from=shared --chmod=0755 php\.ini /.test(line))
      ?.split(' ')
      .at(-1);
    if (target === undefined) return;
    expect(base.env).toContain('PHP_INI_DIR');
    expect([...base.files, '/usr/local/etc/php'].some((folder) => target === `${folder}/php.ini`)).toBe(true);
  });
});

test.each(named)('$name ends by the signal of its manifest', ({ dockerfile: { last, base }, stop }) => {
  const own = last.findLast((line) => line.startsWith('STOPSIGNAL '))?.split(' ')[1];
  expect(own ?? base.stop ?? 'SIGTERM').toBe(stop.signal);
});

/** The stand-in of an image: user, stop signal and entry point, with Docker's defaults. */
function readStandIn(image: string) {
  const [name = '', tag = ''] = (image.split('/').at(-1) ?? '').split(':');
  const folder = { 'php-extension-installer': 'extensions', valkey: 'redis', mysql: 'mariadb' }[name] ?? name;
  const text = readFileSync(join(root, 'test/standins', folder, 'Dockerfile'), 'utf8');
  const stages = text.split(/^(?=FROM )/m).slice(1);
  const target = tag.replace(/^\{php\}-/, '');
  const stage = stages.find((one) => one.split('\n')[0]?.endsWith(` AS ${target}`)) ?? stages.at(-1) ?? '';
  const find = (word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(stage)?.[1];
  const entrypoint = find('ENTRYPOINT');
  return {
    ...{ user: find('USER') ?? 'root', stop: find('STOPSIGNAL') ?? 'SIGTERM' },
    entrypoint: entrypoint && JSON.parse(entrypoint)[0],
  };
}

test.each(standIns)(
  'the stand-in of %s has the user and the signal of the image, and what it starts',
  (image) => {
    const { user = 'root', stop = 'SIGTERM', entrypoint } = baseOf(image);
    const standIn = readStandIn(image);
    expect(standIn).toMatchObject({ user, stop });
    // Our Dockerfiles replace those of their bases; k6 and services run as they are.
    if (
      !runtimes.some(({ base }) => base.includes(image)) &&
      !fronts.some(({ base }) => base.includes(image))
    ) {
      expect(standIn.entrypoint).toBe(entrypoint);
    }
  },
);

test.each(named)(
  '$name replaces the health check, entry point and user of its base image',
  ({ dockerfile }) => {
    const { last, base } = dockerfile;
    expect(last.includes('HEALTHCHECK NONE')).toBe(base.health === true);
    expect(last).toContain('ENTRYPOINT ["serve"]');
    // www-data.
    expect(base.os).toMatch(/^Debian/);
    expect(last).toContain('USER 33:33');
  },
);

test('apps are compiled no extension that all PHP images have, and those that they lack', () => {
  const built = (baseOf('php:{php}-cli').extensions ?? []).flat().map((name) => name.replace(/^zend /, ''));
  const requirements = [...built, 'pcntl', 'sockets', 'intl'].map((name) => `ext-${name}`);
  expect(judgeApp({ requirements, handler: false }, {}).extensions).toEqual(['pcntl', 'sockets', 'intl']);
});

test('apps are compiled what images lack from a version of PHP on, and not before', () => {
  const { dropped = {} } = baseOf('php:{php}-cli');
  for (const [name, php] of Object.entries(dropped)) {
    const app = judgeApp({ requirements: [`ext-${name}`, 'ext-intl', 'ext-sodium'], handler: false }, {});
    const older = baseOf('php:{php}-cli').php?.at(-1) ?? '';
    expect([older, php, '8.10', '9.0'].map((version) => extensionsFor(app, version))).toEqual([
      ...[['intl'], ['intl', name], ['intl', name], ['intl', name]],
    ]);
  }
  expect(Object.keys(dropped)).toEqual(['mbstring']);
});
