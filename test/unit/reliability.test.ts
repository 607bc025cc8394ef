/** docs/reliability.md is made from the tables of faults: `vitest run --project unit test/unit/reliability.test.ts -u`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectionFaults } from '../faults/connection.ts';
import { elsewhere } from '../faults/elsewhere.ts';
import { engineFaults, hanging } from '../faults/engines.ts';
import type { Elsewhere } from '../faults/fault.ts';
import { loaderFaults } from '../faults/loaders.ts';
import { nameFaults } from '../faults/names.ts';
import { githubFaults, resultFaults } from '../faults/reports.ts';
import { runFaults } from '../faults/runs.ts';
import { serverFaults } from '../faults/servers.ts';
import { serviceFaults } from '../faults/services.ts';
import { usedUpFaults } from '../faults/used-up.ts';
import { root } from '../fixtures/docs.ts';

type Row = Elsewhere;

const rows = (file: string, faults: readonly Omit<Row, 'file'>[]): Row[] =>
  faults.map((fault) => ({ ...fault, file }));

const GROUPS: readonly { title: string; rows: readonly Row[] }[] = [
  {
    title: 'In a run',
    rows: [
      ...rows('test/faults/runs.ts', runFaults),
      ...rows('test/faults/used-up.ts', usedUpFaults),
      ...rows('test/faults/names.ts', nameFaults),
      ...Object.values(elsewhere),
    ],
  },
  { title: 'Of servers', rows: rows('test/faults/servers.ts', serverFaults) },
  { title: 'Of services', rows: rows('test/faults/services.ts', serviceFaults) },
  { title: 'Of the engine', rows: rows('test/faults/engines.ts', [...engineFaults, ...hanging]) },
  {
    title: 'Of the connection to an engine',
    rows: [
      ...rows('test/faults/connection.ts', connectionFaults),
      ...rows('test/faults/loaders.ts', loaderFaults),
    ],
  },
  { title: 'In results', rows: rows('test/faults/reports.ts', resultFaults) },
  { title: 'On GitHub', rows: rows('test/faults/reports.ts', githubFaults) },
];

const cell = (text: string) => text.replaceAll('|', '\\|');
const code = (text: string) => (text === '' ? 'nothing about it' : `\`${text}\``);

function render(): string {
  const all = GROUPS.flatMap((group) => group.rows);
  const table = (some: readonly Row[]) =>
    some.map(({ what, message, or, exitCode, ends, kept, left, file }) => {
      const cells = [
        what,
        or ? `${code(message)} or ${code(or)}` : code(message),
        ends ?? (exitCode === null ? 'the step goes on' : String(exitCode)),
        kept,
      ];
      return `| ${[...cells, left ?? 'nothing', `[test](../${file})`].map(cell).join(' | ')} |`;
    });
  const sections = GROUPS.map(({ title, rows: some }) =>
    [
      `## ${title}\n`,
      '| fault | what is printed | exit code | what is kept | what is left | |',
      '| --- | --- | --- | --- | --- | --- |',
      ...table(some),
    ].join('\n'),
  );
  return `# Reliability

Read this page if you run benchmarks unattended. Afterwards you know what happens when something fails: the message, the exit
code, and the results you keep.

A test causes each of these ${all.length} faults. \`script/test faults\` runs those of [test/faults](../test/faults/runs.ts). The last
column links the others, which compare their result with their row. Finished measurements are never lost. Containers, networks, temporary
files and processes are removed unless the table lists them. \`…\` means any text. The glossary explains
[variant](glossary.md#variant), [slice](glossary.md#slice) and [arena](glossary.md#arena).

${sections.join('\n\n')}
`;
}

test('docs/reliability.md shows every fault, at least forty of them', async () => {
  expect(GROUPS.flatMap((group) => group.rows).length).toBeGreaterThanOrEqual(40);
  await expect(render()).toMatchFileSnapshot(join(root, 'docs/reliability.md'));
});

test.each(Object.entries(elsewhere))('the test of %s compares what it sees with the row', (key, { file }) => {
  const text = readFileSync(join(root, file), 'utf8');
  expect(text).toMatch(/\bexpectRow\(/);
  expect(text).toContain(`'${key}'`);
});
