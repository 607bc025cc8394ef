/** runtimes/_shared/options.sh as sh runs it: an option that the configuration takes must not fail in the container. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseOptionValue } from '../../src/config/keys/choices.ts';
import type { OptionSpec } from '../../src/config/types.ts';
import { realHost } from '../../src/host.ts';

const script = resolve(import.meta.dirname, '../../runtimes/_shared/options.sh');

const readOption = (type: 'duration' | 'size', text: string) =>
  parseOptionValue('x', { type } as unknown as OptionSpec, text);

/** The value that a server gets. */
async function inContainer(type: 'duration' | 'size', value: unknown): Promise<string> {
  const read = `. "$1"; ${type} VALUE ''; echo "$VALUE"`;
  const env = { ...process.env, VALUE: String(value) };
  const { stdout, stderr } = await realHost.exec('sh', ['-c', read, 'sh', script], { env });
  return (stdout + stderr).trim();
}

test.each([
  ['duration', '0s', '0ms'],
  ['duration', '1ms', '1ms'],
  ['duration', '59m59s999ms', '3599999ms'],
  ['duration', '1h', '3600000ms'],
  ['size', '1', '1'],
  ['size', '1500000000', '1500000000'],
  ['size', '16T', '16384G'],
  ['size', `${2 ** 44 - 1}`, '17592186044415'],
] as const)('a %s of %s is %s', async (type, text, there) => {
  expect(await inContainer(type, readOption(type, text))).toBe(there);
});

test('a time that no container takes is refused at once', async () => {
  expect(() => readOption('duration', '2h')).toThrow("option 'x': time out of bounds");
  expect(await inContainer('duration', '7200s')).toContain("VALUE='7200s': expected at most 60m");
});

test('a size is a number with a unit', async () => {
  for (const size of ['', '0', '1.5G', '-1', '1T', '12;ls'])
    expect(await inContainer('size', size)).toContain("': expected a size such as 128M");
});
