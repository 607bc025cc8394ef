/** docs/reliability.md is made from the tables of faults: `vitest run --project unit test/unit/reliability.test.ts -u`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { elsewhere } from '../faults/elsewhere.ts';
import { engineFaults } from '../faults/engines.ts';
import type { Fault } from '../faults/fault.ts';
import { githubFaults, resultFaults } from '../faults/reports.ts';
import { runFaults } from '../faults/runs.ts';
import { root } from '../fixtures/docs.ts';

type Row = Omit<Fault<never>, 'inject'> & { file: string };

const rows = (file: string, faults: readonly Omit<Fault<never>, 'inject'>[]): Row[] =>
  faults.map((fault) => ({ ...fault, file }));

const GROUPS: readonly { title: string; rows: readonly Row[] }[] = [
  {
    title: 'In a run',
    rows: [
      ...rows('test/faults/runs.ts', runFaults),
      ...rows('test/faults/engines.ts', engineFaults),
      ...elsewhere.map(({ test: { file }, ...fault }) => ({ ...fault, file })),
    ],
  },
  { title: 'In results', rows: rows('test/faults/reports.ts', resultFaults) },
  { title: 'On GitHub', rows: rows('test/faults/reports.ts', githubFaults) },
];

const cell = (text: string) => text.replaceAll('|', '\\|');
const code = (text: string) => (text === '' ? 'nothing' : `\`${text}\``);

function render(): string {
  const all = GROUPS.flatMap((group) => group.rows);
  const table = (some: readonly Row[]) =>
    some.map(({ what, message, exitCode, kept, left, file }) => {
      const cells = [what, code(message), exitCode === null ? 'the step goes on' : String(exitCode), kept];
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

This page is for those who run benchmarks unattended: it shows what happens when something fails, what the exit code is, and
what you still have afterwards.

Each of these ${all.length} faults is brought about by a test. \`script/test faults\` runs those of [test/faults](../test/faults/runs.ts); the last
column names the others. Measurements that were finished are never lost; containers, networks, temporary files and processes
are removed unless the table says otherwise. \`…\` stands for any text.

${sections.join('\n\n')}
`;
}

test('docs/reliability.md shows every fault, at least forty of them', async () => {
  expect(GROUPS.flatMap((group) => group.rows).length).toBeGreaterThanOrEqual(40);
  await expect(render()).toMatchFileSnapshot(join(root, 'docs/reliability.md'));
});

test.each(elsewhere)('the test of $what is there', ({ test: { file, text } }) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(text);
});
