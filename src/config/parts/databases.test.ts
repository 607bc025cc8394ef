import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/fixtures/temporary.ts';
import { describeDatabase } from './databases.ts';

/** The dump as the client reads it, and the users that it makes first. It stands in for the database, and finds one table. */
function loadWithUsers(client: string, sql: string): { sql: string; users: string } {
  const folder = makeFolder();
  try {
    const read = join(folder, 'read');
    const users = join(folder, 'users');
    const dump = join(folder, 'dump.sql');
    writeFileSync(dump, sql, 'latin1');
    writeFileSync(
      join(folder, client),
      `#!/bin/sh\ncase "$*" in *-e*|*-Ne*) echo 1 ;; *--force*) cat >>${users} ;; *) cat >${read} ;; esac\n`,
    );
    chmodSync(join(folder, client), 0o755);
    const command = describeDatabase(client, `${client}:1`, dump).reset[client] as string;
    execFileSync('sh', ['-ec', command.replaceAll('/bench/dump.sql', dump)], {
      env: { PATH: `${folder}:${process.env.PATH}`, BENCH_DATABASE: 'bench_1' },
    });
    return { sql: readFileSync(read, 'latin1'), users: readFileSync(users, 'latin1') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const load = (client: string, sql: string) => loadWithUsers(client, sql).sql;

const CREATE =
  "CREATE TABLE articles (name text);\nINSERT INTO articles VALUES ('SET @@GLOBAL.GTID_PURGED=');\n";

test.each([
  ["SET @@GLOBAL.GTID_PURGED='3e11fa47-71ca-11e1-9e33-c80aa9429562:1-17';\n"],
  [
    "SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-17,\n4e11fa47-71ca-11e1-9e33-c80aa9429562:1-3';\n",
  ],
])(
  'a dump loads without the transactions that its server knows, which a server takes once only: %j',
  (gtids) => {
    for (const client of ['mysql', 'mariadb'])
      expect(load(client, `-- A\n${gtids}${CREATE}`)).toBe(`-- A\n${CREATE}`);
  },
);

test('any other dump is read as it is, whatever its encoding', () => {
  expect(load('mysql', `-- \xe4\r\n${CREATE}`)).toBe(`-- \xe4\r\n${CREATE}`);
});

test('no load stays on the disk in the binary log', () => {
  for (const dump of [null, '/dump.sql']) {
    const command = describeDatabase('mysql', 'mysql:8.4', dump).reset.mysql as string;
    const logins = command.split('mysql -uroot').slice(1);
    expect(logins).toHaveLength(dump === null ? 1 : 4);
    for (const login of logins) expect(login).toMatch(/^ -psecret --init-command='SET SQL_LOG_BIN=0' /);
  }
});

test('the users that views, triggers and routines of a dump run as are made first, once each', () => {
  const dump = [
    '/*!50013 DEFINER=`shop`@`10.%` SQL SECURITY DEFINER */',
    '/*!50003 CREATE*/ /*!50017 DEFINER=`shop`@`10.%`*/ /*!50003 TRIGGER t BEFORE INSERT ON articles */;;',
    "CREATE DEFINER=`o'neil`@`localhost` PROCEDURE `p`() SELECT 1 ;;",
    '/*!50013 DEFINER=CURRENT_USER SQL SECURITY DEFINER */',
    '',
  ].join('\n');
  const { sql, users } = loadWithUsers('mysql', dump);
  expect(sql).toBe(dump);
  expect(users).toBe(
    ["`o'neil`@`localhost`", '`shop`@`10.%`']
      .map(
        (user) =>
          `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY "secret"; GRANT ALL ON bench_1.* TO ${user};\n`,
      )
      .join(''),
  );
  expect(loadWithUsers('mysql', CREATE).users).toBe('');
});

test.each([
  ['mysql', '-- 1\nUSE `shop`;\n', 'USE `shop`;'],
  ['mariadb', 'use shop ;\nUSE other;\n', 'use shop ;'],
  ['postgres', '\\connect shop\n', '\\connect shop'],
  ['mysql', "INSERT INTO t VALUES ('\nUSE it\n');\n", null],
  ['postgres', 'COPY t FROM stdin;\nUSE `shop`;\n\\\\connect a\n\\.\n', null],
])('a load of %s that fails names what leads it into another database: %j', (client, sql, line) => {
  const folder = makeFolder();
  try {
    const dump = join(folder, 'dump.sql');
    writeFileSync(dump, sql);
    for (const name of ['mysql', 'mariadb', 'psql', 'dropdb', 'createdb']) {
      // Only the load reads SQL from its input.
      const script = `#!/bin/sh\ncase "$*" in *-e*|*--force*|*-q|-U*exists*) ;; *) echo 'ERROR 1050 (42S01): no' >&2; exit 3 ;; esac\n`;
      writeFileSync(join(folder, name), /^(drop|create)db$/.test(name) ? '#!/bin/sh\n' : script, {
        mode: 0o755,
      });
    }
    const command = describeDatabase(client, `${client}:1`, dump).reset[client] as string;
    const { status, stderr } = spawnSync('sh', ['-ec', command.replaceAll('/bench/dump.sql', dump)], {
      env: { PATH: `${folder}:${process.env.PATH}`, BENCH_DATABASE: 'bench_1' },
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('ERROR 1050');
    const hint = `ERROR:  the dump has '${line}', which leads into a database that all variants share; remove it`;
    expect(stderr.trim().split('\n').at(-1)).toBe(line === null ? 'ERROR 1050 (42S01): no' : hint);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
