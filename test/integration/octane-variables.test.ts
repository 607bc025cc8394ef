/** The variables of a request, as Laravel has them on each server of Octane: a table in docs/runtimes.md shows them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askOnce, removeAll, serve, startArena } from './docker.ts';
import { missingFor, OCTANE } from './longlived-rows.ts';
import { buildOctane } from './octane-app.ts';
import { rowsIn, showValue } from './tables.ts';

const REQUEST = {
  path: '/a%20b%2Fc?q=1',
  body: 'a=1',
  headers: ['Host: app.test', 'Content-Type: application/x-www-form-urlencoded'],
};

let arena: string;
beforeAll(async () => {
  arena = await startArena();
});
afterAll(removeAll);

it.for(OCTANE)('$runtime has the variables that docs/runtimes.md shows', async (row, { skip }) => {
  const base = missingFor(row);
  if (base) skip(`base image ${base} is not available here`);
  const column = `\`${row.runtime}\``;
  const rows = rowsIn('octane-variables');
  if (rows[0]?.[column] === undefined) skip('it was never seen');
  const image = await buildOctane(row.runtime, 'variables', 'test/fixtures/apps/variables/variables.php');
  const server = await serve(arena, image, row.env);
  const { body } = await askOnce(server, REQUEST);
  const seen = Object.entries(JSON.parse(body) as Record<string, string | null>);
  const table = rows.map((cells) => [cells[''], cells[column]]);
  // Not the port of this test.
  const show = (value: string | null) => showValue(String(value) === String(server.port) ? '8080' : value);
  expect(seen.map(([name, value]) => [`\`${name}\``, show(value)])).toEqual(table);
});
