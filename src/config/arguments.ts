import { UserError } from '../errors.ts';
import { at } from './document.ts';
import { parseInteger, quote } from './text.ts';

const MAX_SEGMENTS = 1000;

/** Reads the scenario to eject, and its site. */
export function readEjectLoad(
  rest: readonly string[],
  [scenario, other]: readonly string[],
  flags: ReadonlyMap<string, readonly string[]>,
  { usage, example }: { usage: string; example: string },
) {
  if (scenario === undefined || other !== undefined || rest[0] !== scenario) {
    throw new UserError('`eject-load` takes exactly one scenario, before its flags', {
      ...{ allowed: `php-runtime-bench ${usage}` },
      hint: `php-runtime-bench ${example}`,
    });
  }
  const segments = flags.get('segments')?.at(-1) ?? '1';
  return {
    scenario,
    baseUrl: at({ name: '--base-url' }, () => parseBaseUrl(flags.get('base-url')?.at(-1))),
    segments: at({ name: '--segments' }, () => parseInteger(segments, { min: 1, max: MAX_SEGMENTS })),
    out: flags.get('out')?.at(-1) ?? null,
  };
}

/** A site without a path: paths are the scenario's. */
function parseBaseUrl(text: string | undefined): string {
  const allowed = 'a URL of a site, such as http://web.default.svc or https://staging.example:8443';
  if (text === undefined) throw new UserError('is missing', { allowed });
  const url = URL.canParse(text) ? new URL(text) : null;
  const bare = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  if (bare && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UserError('not a URL of a site', { found: quote(text), allowed });
}

/** `doctor --aa` keeps no results and compares nothing else, so these flags would have no effect. */
const IN_VAIN = [
  ...['out', 'compare-to', 'reference', 'fail-on', 'tune', 'shard'],
  ...['capacity', 'profile', 'count', 'cold-start'],
];

export function refuseInVain(flags: ReadonlyMap<string, unknown>): void {
  const [given] = IN_VAIN.filter((flag) => flags.has(flag));
  if (given === undefined) return;
  throw new UserError(`--${given} does not work with doctor --aa`, {
    allowed: `flags of run, except ${IN_VAIN.map((flag) => `--${flag}`).join(', ')}`,
    hint: 'doctor --aa compares the first variant with itself and writes no results',
  });
}
