import { expect, test } from 'vitest';
import { COMMANDS, type CommandName, parseCommand } from './command.ts';
import { helpText } from './help.ts';
import { keysOf } from './keys/key-sources.ts';

test.each([
  [[], { command: 'help' }],
  [['--help'], { command: 'help' }],
  [['help', 'plan'], { command: 'help', of: 'plan' }],
  [['run', '--php', '8.4', '-h'], { command: 'help', of: 'run' }],
  [['--version'], { command: 'version' }],
  [
    ['run', '--no-reuse', '--php=8.4'],
    { command: 'run', flags: ['--no-reuse', '--php=8.4'], format: 'table' },
  ],
  [
    ['run', '--format', 'csv', '--php=8.4', '--format=json'],
    { command: 'run', flags: ['--php=8.4'], format: 'json' },
  ],
  [
    ['plan', '--json', '--php', '8.4'],
    { command: 'plan', flags: ['--php', '8.4'], json: true, shards: null },
  ],
  [
    ['plan', '--shards', '3', '--php', '8.4', '--shards=runtimes'],
    { command: 'plan', flags: ['--php', '8.4'], json: false, shards: 'runtimes' },
  ],
  [['report', 'a', 'b'], { command: 'report', folders: ['a', 'b'], format: 'table' }],
  [['report', '--format', 'md', 'a'], { command: 'report', folders: ['a'], format: 'md' }],
  [['list', '--json'], { command: 'list', json: true }],
  [['history', 'h.ndjson'], { command: 'history', file: 'h.ndjson', add: [], format: 'md' }],
  [
    ['history', 'h.ndjson', '--add', 'a', '--add', 'b', '--format', 'html'],
    { command: 'history', file: 'h.ndjson', add: ['a', 'b'], format: 'html' },
  ],
  [['doctor'], { command: 'doctor', json: false, aa: false, flags: [] }],
  [
    ['doctor', '--aa', '--budget', '5m', '--json'],
    { command: 'doctor', json: true, aa: true, flags: ['--budget', '5m'] },
  ],
  [
    ['doctor', '--aa', '--no-aa', '--json=false', '--no-wait'],
    { command: 'doctor', json: false, aa: false, flags: ['--no-wait'] },
  ],
  [['plan', '--json=on', '--no-reuse'], { command: 'plan', flags: ['--no-reuse'], json: true, shards: null }],
  [['list', '--no-json'], { command: 'list', json: false }],
])('%j', (argv, command) => {
  expect(parseCommand(argv)).toEqual(command);
});

test('help names every command and every key, in 100 columns', () => {
  const names = Object.keys(COMMANDS) as CommandName[];
  for (const name of names) expect(helpText()).toContain(`\n  ${name} `);
  for (const key of keysOf('flag'))
    expect(helpText('run')).toMatch(new RegExp(`^  --(\\[no-\\])?${key}\\b`, 'm'));
  expect(helpText('run')).toMatch(/\n\nApp:\n {2}--app .*(\n .*)+\n\nServers:\n {2}--runtimes /);
  expect(helpText('list')).not.toContain('App:');
  for (const text of [helpText(), ...names.map(helpText)]) {
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
  }
});

test('the example of each command is valid', () => {
  for (const { example } of Object.values(COMMANDS)) {
    const argv = example.split(' ').map((word) => word.replaceAll("'", ''));
    expect(parseCommand(argv).command).toBe(argv[0]);
  }
});

test.each([
  '--out=x',
  '--compare-to=HEAD~1',
  '--reference=apache',
  '--fail-on=slower > 3%',
  '--tune=workers',
  '--shard=2/3',
])('doctor --aa refuses a flag without effect: %s', (flag) => {
  expect(parseCommand(['doctor', flag])).toMatchObject({ command: 'doctor', aa: false });
  expect(() => parseCommand(['doctor', '--aa', flag])).toThrow(
    `${flag.replace(/=.*/, '')} does not work with doctor --aa`,
  );
});
