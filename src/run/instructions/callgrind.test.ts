import { expect, test } from 'vitest';
import { readPart } from './callgrind.ts';

/** As valgrind 3.24 writes it, shortened. */
const FILE = `# callgrind format
version: 1
creator: callgrind-3.24.0
pid: 9
cmd:  php-cgi -T 10
part: 3

desc: I1 cache:
desc: Timerange: Basic block 1 - 2
desc: Trigger: --dump-before=php_request_startup

positions: line
events: Ir
summary: 177

ob=(1) /usr/bin/php-cgi8.4
fl=(1) ???
fn=(1) execute_ex
0 50
cfn=(2) _emalloc
calls=3 0
0 60
cob=(2) /usr/lib/libc.so.6
cfn=(3) __memcpy_avx
calls=2 0
0 20
cfn=(4) 0x0000000000123456
calls=1 0
0 7

fn=(2)
0 40
+0 20

fn=(4)
* 7

ob=(2)
fn=(3)
0 20

fn=(5) 0x00000000000aaaaa
0 40

totals: 177
`;

test('self cost and calls are listed by function, those without a name by binary', () => {
  const part = readPart(FILE);
  expect(part?.instructions).toBe(177);
  expect(Object.fromEntries(part?.functions ?? [])).toEqual({
    execute_ex: { self: 50, calls: 0 },
    _emalloc: { self: 60, calls: 3 },
    __memcpy_avx: { self: 20, calls: 2 },
    'without a name in php-cgi8.4': { self: 7, calls: 1 },
    'without a name in libc.so.6': { self: 40, calls: 0 },
  });
  const sum = [...(part?.functions.values() ?? [])].reduce((all, { self }) => all + self, 0);
  expect(sum).toBe(part?.instructions);
});

test('a file that is cut, or counts something else, is none', () => {
  expect(readPart(FILE.slice(0, 200))).toBeNull();
  expect(readPart(FILE.replace('events: Ir', 'events: Ir Dr'))).toBeNull();
  expect(readPart('')).toBeNull();
});
