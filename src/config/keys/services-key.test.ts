import { expect, test } from 'vitest';
import { memoryFiles } from '../../../test/fixtures/memory-files.ts';
import { UserError } from '../../errors.ts';
import { parseConfig } from '../parse.ts';

const cwd = '/project';

function read(services: string) {
  const files = {
    '.bench.yml': `services: ${services}\n`,
    'index.php': '<?php',
    'compose.yaml': 'services: {}',
    'dump.sql': '',
    'utf-16.sql': '\xff\xfe-\0',
    'odd $name/dump.sql.gz': '',
  };
  const packageRoot = new URL('../../..', import.meta.url).pathname;
  return parseConfig({ flags: [], cwd, packageRoot, files: memoryFiles(cwd, files), random: () => 0 })
    .services;
}

function messageOf(services: string): string {
  try {
    read(services);
  } catch (error) {
    if (error instanceof UserError) return error.format();
    throw error;
  }
  return 'nothing was refused';
}

test('a compose file is taken as it is', () => {
  const file = '/project/compose.yaml';
  expect(read('compose.yaml')).toEqual({ file, reset: {} });
  expect(read('{ file: compose.yaml, reset: { db: echo } }')).toEqual({ file, reset: { db: 'echo' } });
});

test.each([
  ['mariadb:11', 'mariadb'],
  ['docker.io/library/mariadb@sha256:0', 'mariadb'],
  ['mysql:8.4', 'mysql'],
  ['mirror.example/library/mysql:9', 'mysql'],
  ['registry.example:5000/postgres:17', 'postgres'],
  ['postgres', 'postgres'],
])('the image %s is a database named %s', (image, name) => {
  const services = read(`{ image: '${image}' }`);
  expect(services?.file).toBe(image);
  const compose = JSON.parse(services?.compose ?? '');
  expect(Object.keys(compose.services)).toEqual([name]);
  expect(compose.services[name]).toMatchObject({ image, healthcheck: { interval: '1s' } });
  expect(compose.services[name]).not.toHaveProperty('volumes');
  expect(services?.reset[name]).toContain('$BENCH_DATABASE');
  expect(services?.reset[name]).not.toContain('/bench/');
});

test('MySQL has the programs and the variable of its own image', () => {
  const services = read('{ image: mysql:8.4, dump: dump.sql }');
  const { mysql } = JSON.parse(services?.compose ?? '').services;
  expect(mysql.environment).toEqual({ MYSQL_ROOT_PASSWORD: 'secret' });
  // The server that initialises the database does not listen on TCP.
  expect(mysql.healthcheck.test).toEqual(expect.arrayContaining(['mysqladmin', '--host=127.0.0.1', 'ping']));
  const ofMariadb = read('{ image: mariadb:11, dump: dump.sql }')?.reset.mariadb;
  expect(services?.reset.mysql).toBe(ofMariadb?.replaceAll('mariadb -u', 'mysql -u'));
  expect(services?.reset.mysql).not.toContain('mariadb');
});

test('a dump is mounted read-only and read after the database is made', () => {
  const services = read('{ image: mariadb:11, dump: dump.sql }');
  expect(JSON.parse(services?.compose ?? '').services.mariadb.volumes).toEqual([
    { type: 'bind', source: '/project/dump.sql', target: '/bench/dump.sql', read_only: true },
  ]);
  expect(services?.reset.mariadb).toMatch(
    /CREATE DATABASE .* \/bench\/dump\.sql \| mariadb .* && .*SELECT COUNT/,
  );
});

test('a path is no text of the shell, and compose leaves its dollar sign alone', () => {
  const services = read("{ image: postgres:17, dump: 'odd $name/dump.sql.gz' }");
  expect(services?.compose).toContain('"/project/odd $$name/dump.sql.gz"');
  expect(services?.reset.postgres).toContain('gunzip -c /bench/dump.sql.gz');
  expect(services?.reset.postgres).not.toContain('odd');
});

test.each([
  ['{}', '.bench.yml:1: `services` is empty\n  allowed: `file`: a compose file, or `image`'],
  ['{ dump: dump.sql }', '.bench.yml:1: `dump` needs `image`'],
  ['{ file: compose.yaml, dump: dump.sql }', '.bench.yml:1: `dump` needs `image`'],
  ['{ file: compose.yaml, image: mariadb:11 }', '.bench.yml:1: `services` has both `file` and `image`'],
  ['{ image: mariadb:11, reset: { mariadb: echo } }', '.bench.yml:1: `reset` needs `file`'],
  ['{ image: mariadb:11, dump: other.sql }', ".bench.yml:1: no such file\n  found:   'other.sql'"],
  [
    '{ image: mariadb:11, dump: utf-16.sql }',
    ".bench.yml:1: not UTF-8\n  found:   'utf-16.sql'\n  hint:    save it as UTF-8; PowerShell writes UTF-16 unless",
  ],
  ['{ file: other.yaml }', ".bench.yml:1: no such file\n  found:   'other.yaml'"],
  ['{ image: mysql/mysql-server:8.0 }', "no database by this image\n  found:   'mysql/mysql-server:8.0'"],
  [
    '{ image: redis:7 }',
    ".bench.yml:1: no database by this image\n  found:   'redis:7'\n  allowed: mariadb:VERSION, mysql:VERSION, postgres:VERSION",
  ],
])('services: %s is refused', (services, expected) => {
  expect(messageOf(services)).toContain(expected);
});
