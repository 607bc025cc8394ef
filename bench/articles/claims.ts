/**
 * Claims of each article, and whether they are true here. The rules were written before anything was measured. They
 * compare intervals over fresh starts and judge no difference that is not sure. Pure.
 */
import { count, digits } from '../../src/report/words/numbers.ts';
import type { Name } from './articles.ts';
import { type Against, type Data, isDisturbed, type Row, type Value } from './data.ts';
import { isAt, sustained } from './tables.ts';

export type Verdict = 'confirmed' | 'refuted' | 'not checked';

interface Judged {
  verdict: Verdict;
  why: string;
}

export interface Judgement extends Judged {
  claim: string;
}

/** `because`: nothing that is measured here bears on it; `exact`: how busy the machine is makes no difference to it. */
type Claim = { claim: string } & ({ judge: (data: Data) => Judged; exact?: true } | { because: string });

/** 'About n times' is from n ÷ this to n × this. */
const ABOUT = 1.25;
/** 'Alike' is from 1 ÷ this to 1 × this. */
const ALIKE = 1.1;
/** 'About 1 % fewer' is from half a percent to one and a half. */
const FEWER = { least: 0.005, most: 0.015 };

/** The claims of an article in order; `data` null: it was not run. */
export function judgeClaims(name: Name, data: Data | null): Judgement[] {
  return CLAIMS[name].map((one) => {
    const { claim } = one;
    if ('because' in one) return { claim, ...skip(one.because) };
    if (data === null) return { claim, ...skip('not run here') };
    if (!one.exact && isDisturbed(data.run)) {
      return { claim, ...skip('other work took the CPUs in more than a quarter of the slices') };
    }
    return { claim, ...one.judge(data) };
  });
}

const CLAIMS: Readonly<Record<Name, readonly Claim[]>> = {
  octane: [
    {
      claim: 'Unit is about ten times as fast as php-fpm',
      judge: (data) =>
        together(
          ['laravel', 'lumen'].map((app) => {
            const ratio = ratioOf(
              sustainedP50(find(data, `${app}/fpm`)),
              sustainedP50(find(data, `${app}/Unit`)),
            );
            return judgeFactor(
              ratio,
              10,
              `the median of php-fpm with ${app}, up to the rate that each sustains, is that of Unit`,
            );
          }),
        ),
    },
    {
      claim: 'Unit alone goes through the ramp without loss',
      judge(data) {
        const found = ['laravel', 'lumen'].map((app) => {
          const unit = find(data, `${app}/Unit`);
          const others = data.rows.filter((row) => row.variant.startsWith(`${app}/`) && row !== unit);
          const better = others.filter((row) => isMore(rangeOf(row.holds), rangeOf(unit?.holds ?? null)));
          const all = [...(unit ? [unit] : []), ...others];
          const rates = all.map((row) => `${serverOf(row)} ${sustained(row.holds)}`).join(', ');
          const alone =
            unit?.holds?.kind === 'beyond' && others.every(({ holds }) => holds?.kind === 'found');
          return { better, alone, rates: `sustained RPS with ${app}: ${rates}` };
        });
        const rates = found.map((one) => one.rates);
        if (found.some(({ better }) => better.length > 0)) {
          const why = sentences([...rates, 'another server sustains more with the same app']);
          return { verdict: 'refuted', why };
        }
        if (found.every(({ alone }) => alone)) return { verdict: 'confirmed', why: sentences(rates) };
        return skip(sentences([...rates, 'no server sustains the whole ramp, or several do']));
      },
    },
    {
      claim: 'Octane with Laravel is faster than Lumen on Unit',
      judge: (data) =>
        judgeMore(
          find(data, 'laravel/Octane')?.holds ?? null,
          find(data, 'lumen/Unit')?.holds ?? null,
          'Octane with Laravel sustains',
          'Unit with Lumen',
        ),
    },
    {
      claim: 'One answer in 300,299 was a 500 that nobody could explain',
      exact: true,
      judge({ rows }) {
        const requests = rows.reduce((sum, row) => sum + row.requests, 0);
        const found = rows.flatMap(({ errors }) => errors).filter(({ kind }) => kind.startsWith('http 5'));
        const wrong = found.reduce((sum, error) => sum + error.count, 0);
        return skip(
          `${count(wrong)} of ${count(requests)} requests here had such a status; a report keeps the body of the first and the server's log`,
        );
      },
    },
  ],

  symfony: [
    {
      claim: 'Unit is the best of those that need no change of code',
      judge: (data) =>
        judgeMore(
          find(data, 'Unit')?.holds ?? null,
          find(data, 'php-fpm')?.holds ?? null,
          'Unit behind nginx sustains',
          'nginx with php-fpm',
        ),
    },
    {
      claim: 'Keeping the kernel halves the CPU',
      judge: (data) =>
        together(
          ['RoadRunner', 'ReactPHP'].map((name) => {
            const ratio = ratioOf(find(data, `${name}-reboot`)?.cpu, find(data, name)?.cpu);
            return judgeFactor(
              ratio,
              2,
              `CPU of a request on ${name} with a new kernel is that with a kept one`,
            );
          }),
        ),
    },
    {
      claim: 'One run each, so the numbers may be inaccurate',
      because: 'a caution, not a claim about servers; here ± shows how far starts differ',
    },
  ],

  apache: [
    {
      claim: 'One hop fewer wins at low concurrency: Apache before nginx and php-fpm',
      judge: ({ against }) => judgeVerdicts(against.filter(isAt('Apache', 'ab-10')), 'faster'),
    },
    {
      claim: 'A unix socket beats TCP',
      judge: ({ against }) =>
        judgeVerdicts(
          against.filter(({ variant }) => variant === 'fpm-TCP'),
          'slower',
        ),
    },
    {
      claim: 'Differences shrink as concurrency grows',
      judge({ against }) {
        const [few, many] = ['ab-10', 'ab-200'].map((scenario) => against.find(isAt('Apache', scenario)));
        const [a, b] = [distanceOf(few), distanceOf(many)];
        if (!a || !b) return skip('not measured');
        const why = `Apache and php-fpm are ${percents(a)} apart at 10 clients, ${percents(b)} at 200`;
        if (a.low > b.high) return { verdict: 'confirmed', why };
        if (a.high < b.low) return { verdict: 'refuted', why };
        return skip(`${why}: these intervals overlap`);
      },
    },
    {
      claim: 'FastCGI sends about 1 % fewer bytes',
      exact: true,
      judge(data) {
        // The number of bytes does not depend on the speed.
        const [apache, fpm] = ['Apache', 'fpm-unix'].map(
          (name) => data.rows.find((row) => row.variant === name)?.bytes,
        );
        if (!apache || !fpm) return skip('not measured');
        const fewer = 1 - fpm / apache;
        const why = `${count(Math.round(apache))} bytes from Apache, ${count(Math.round(fpm))} from nginx with php-fpm: ${(fewer * 100).toFixed(2)} % fewer`;
        return { verdict: fewer >= FEWER.least && fewer <= FEWER.most ? 'confirmed' : 'refuted', why };
      },
    },
    {
      claim: "nginx's case is static files and slow clients",
      because: 'no load here asks for files or reads slowly',
    },
  ],

  shop: [
    {
      claim: 'Servers that keep the app in memory do about four times as much',
      judge(data) {
        const of = (names: readonly string[]) => meanOf(names.map((name) => find(data, name)?.cpu));
        const ratio = ratioOf(of(['Unit', 'Apache', 'php-fpm']), of(['Swoole', 'FrankenPHP', 'RoadRunner']));
        return judgeFactor(
          ratio,
          4,
          'mean CPU of a request where each starts the app is that where it stays',
        );
      },
    },
    {
      claim: 'On a real app php-fpm and mod_php are alike',
      judge(data) {
        const ratio = ratioOf(find(data, 'php-fpm')?.cpu, find(data, 'Apache')?.cpu);
        const what = 'CPU of a request on php-fpm is that on Apache';
        if (ratio === null) return skip('not measured in enough starts');
        const why = `${what} ${times(ratio)}`;
        if (ratio.low >= 1 / ALIKE && ratio.high <= ALIKE) return { verdict: 'confirmed', why };
        if (ratio.high < 1 / ALIKE || ratio.low > ALIKE) return { verdict: 'refuted', why };
        return skip(`${why}: the interval is too wide`);
      },
    },
    {
      claim: 'On phpinfo() php-fpm is far ahead of mod_php',
      because: 'not part of this command: `--app plain --paths /phpinfo`',
    },
    {
      claim: 'Some apps keep rules in .htaccess, which Apache alone obeys',
      because: 'this app has none; where one has, the report warns about it (`htaccess`)',
    },
  ],

  auth: [
    {
      claim: 'RoadRunner does twice what Apache does',
      judge: (data) =>
        judgeFactor(
          ratioOf(find(data, 'RoadRunner')?.rps, find(data, 'Apache')?.rps),
          2,
          'RPS of RoadRunner is that of Apache',
        ),
    },
    {
      claim: 'php-fpm as it comes drops requests',
      because:
        'eight clients cannot overrun 16 processes; 500 may: `--scenarios auth-users`, with `nginx-fpm[workers=5,pm=dynamic]` as the image of PHP comes',
    },
  ],

  unit: [
    {
      claim: 'Unit does not scale',
      judge(data) {
        const [many, one, apache] = ['Unit', 'Unit-1', 'Apache'].map((name) => find(data, name)?.rps);
        const [gain, beside] = [ratioOf(many, one), ratioOf(many, apache)];
        if (!gain || !beside) return skip('not measured in enough starts');
        const why = `RPS with 16 processes is that with one ${times(gain)}, and that of Apache ${times(beside)}`;
        if (gain.low > 1 && beside.high > 1 / ABOUT)
          return { verdict: 'refuted', why: `${why}. By default Unit has one process` };
        if (beside.high < 1 / ABOUT) return { verdict: 'confirmed', why };
        return skip(why);
      },
    },
  ],
};

function skip(why: string): Judged {
  return { verdict: 'not checked', why };
}

/** For several that represent one claim: what all of them show. */
function together(all: readonly Judged[]): Judged {
  const why = sentences(all.map((one) => one.why));
  const [first] = all;
  return first && all.every(({ verdict }) => verdict === first.verdict)
    ? { verdict: first.verdict, why }
    : skip(why);
}

/** The last one ends without a full stop, as others in the cells of a table. */
function sentences(texts: readonly string[]): string {
  return texts.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`).join('. ');
}

function find({ rows }: Data, variant: string): Row | undefined {
  return rows.find((row) => row.variant === variant && row.flaw === null);
}

function serverOf({ variant }: Row): string {
  return variant.replace(/^.*\//, '');
}

/** The median as the article took it: up to where a server gave in, or of all of it. */
function sustainedP50(row: Row | undefined): Value | null {
  if (!row?.holds || row.holds.kind === 'below') return null;
  return row.holds.kind === 'found' ? row.holds.p50 : row.p50;
}

interface Ratio {
  value: number;
  low: number;
  high: number;
}

/** The widest that both intervals allow; null where one of the two has none. */
export function ratioOf(a: Value | null | undefined, b: Value | null | undefined): Ratio | null {
  if (a?.half == null || b?.half == null) return null;
  const least = b.value - b.half;
  return {
    value: a.value / b.value,
    low: Math.max(0, a.value - a.half) / (b.value + b.half),
    high: least > 0 ? (a.value + a.half) / least : Infinity,
  };
}

function times({ value, low, high }: Ratio): string {
  const upTo = high === Infinity ? '∞' : digits(high);
  return `×${digits(value)} (${digits(low)}…${upTo})`;
}

/** @param what a sentence that ends where the factor comes */
export function judgeFactor(ratio: Ratio | null, claimed: number, what: string): Judged {
  if (ratio === null) return skip('not measured in enough starts');
  const why = `${what} ${times(ratio)}`;
  const [least, most] = [claimed / ABOUT, claimed * ABOUT];
  if (ratio.high < least || ratio.low > most) return { verdict: 'refuted', why };
  if (ratio.low > 1 && ratio.value >= least && ratio.value <= most) return { verdict: 'confirmed', why };
  return skip(`${why}: the interval is too wide`);
}

/** The range of the rate that a server sustains. */
function rangeOf(holds: Row['holds']): { low: number; high: number } | null {
  if (holds === null) return null;
  if (holds.kind === 'beyond') return { low: holds.value, high: Infinity };
  if (holds.kind === 'below') return { low: 0, high: holds.value };
  return { low: holds.value - (holds.half ?? Infinity), high: holds.value + (holds.half ?? Infinity) };
}

type Range = ReturnType<typeof rangeOf>;

function isMore(a: Range, b: Range): boolean {
  return a !== null && b !== null && a.low > b.high;
}

function judgeMore(a: Row['holds'], b: Row['holds'], whatA: string, whatB: string): Judged {
  if (a === null || b === null) return skip('not measured');
  const why = `${whatA} ${sustained(a)} rps, ${whatB} ${sustained(b)}`;
  if (isMore(rangeOf(a), rangeOf(b))) return { verdict: 'confirmed', why };
  if (isMore(rangeOf(b), rangeOf(a))) return { verdict: 'refuted', why };
  return skip(`${why}: no clear difference`);
}

/** By the verdicts of the report: one that agrees and none that contradicts, or all that see no difference. */
function judgeVerdicts(found: readonly Against[], claimed: 'faster' | 'slower'): Judged {
  if (found.length === 0) return skip('not measured');
  const why = sentences(
    found.map(({ scenario, verdict, ratio, reasons }) => {
      const reason = verdict === 'inconclusive' && reasons[0] ? ` (${reasons[0]})` : '';
      const change = ratio === null ? '' : `, RPS ×${digits(ratio)}`;
      return `at ${scenario.replace('ab-', '')}: ${verdict.replace('-', ' ')}${change}${reason}`;
    }),
  );
  const opposite = claimed === 'faster' ? 'slower' : 'faster';
  const has = (verdict: string) => found.some((one) => one.verdict === verdict);
  if (has(opposite) || found.every(({ verdict }) => verdict === 'no-difference'))
    return { verdict: 'refuted', why };
  return has(claimed) ? { verdict: 'confirmed', why } : skip(why);
}

/** How far from equal, as a share, whichever is ahead. */
function distanceOf(found: Against | undefined): { low: number; high: number } | null {
  if (found?.low == null || found.high == null) return null;
  const [low, high] = [Math.log(found.low), Math.log(found.high)];
  const apart = [Math.abs(low), Math.abs(high)];
  return {
    low: low <= 0 && high >= 0 ? 0 : Math.expm1(Math.min(...apart)),
    high: Math.expm1(Math.max(...apart)),
  };
}

function percents({ low, high }: { low: number; high: number }): string {
  return `${(low * 100).toFixed(1)}…${(high * 100).toFixed(1)} %`;
}

function meanOf(values: readonly (Value | null | undefined)[]): Value | null {
  const known = values.flatMap((one) => (one ? [one] : []));
  if (known.length < values.length || known.length === 0) return null;
  const halves = known.map(({ half }) => half);
  const total = (numbers: readonly number[]) => numbers.reduce((sum, n) => sum + n, 0) / known.length;
  return {
    value: total(known.map((one) => one.value)),
    // As wide as if all erred together.
    half: halves.includes(null) ? null : total(halves.map((half) => half ?? 0)),
  };
}
