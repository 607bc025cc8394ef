import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import type { Summary } from '../../../analyse/summary.ts';
import type { Culprit, Why } from '../../../analyse/why/why-model.ts';
import { changeRows } from '../answer/changerows.ts';
import { type Medium, PLAIN_MARKS, THIS_PULL } from '../medium.ts';
import { tellCauses, tellRows } from './cause.ts';
import { callName, signedTime, time } from './function-names.ts';

const same = (text: string) => text;
const medium: Medium = {
  ...{ name: same, text: same, code: same, commit: same, call: same, place: same },
  ...{ ...THIS_PULL, marks: PLAIN_MARKS },
};

const find = { name: 'App\\A::find', file: 'src/A.php', line: 41, group: 'own', changed: true } as const;
const save = { name: 'App\\B::save', file: 'src/B.php', line: null, group: 'own', changed: false } as const;
const hydrate = {
  name: 'Orm::hydrate',
  file: 'vendor/Orm.php',
  line: 7,
  group: 'vendor',
  changed: false,
} as const;

const culprit = (us: number, own: Culprit['function'] = find, more: Partial<Culprit> = {}): Culprit => ({
  ...{ function: own, us: { variant: us, base: 0 }, caller: null, within: null, isSpread: false },
  ...{ change: { us, low: us - 1, high: us + 1, sure: true }, ...more },
});

/** The text on a change of 2.3 ms, which the verdict is sure of. */
function tell(culprits: Culprit[], more: Partial<Why> = {}): string[] {
  const summary = summaryOf('why');
  const [why] = summary.why as [Why];
  const changed: Summary = { ...summary, why: [{ ...why, changeUs: 2300, isSure: true, culprits, ...more }] };
  return tellCauses(changeRows(changed, medium), changed, medium).map(
    ({ label, text }) => `${label}: ${text}`,
  );
}

test('most of a change is one function: how much of how much, where, and that it changed', () => {
  expect(tell([culprit(1900), culprit(300, save)])).toEqual([
    'Most of it: App\\A::find() +1.9 ms of +2.3 ms CPU per request (src/A.php:41, changed here).',
  ]);
});

test('after three profiles their number is shown', () => {
  const summary = summaryOf('why');
  const [why] = summary.why as [Why];
  const textsOf = (count: number) => {
    const changed = { ...summary, why: Array.from({ length: count }, () => ({ ...why })) };
    return tellCauses(changeRows(changed, medium), changed, medium).map(({ text }) => text);
  };
  expect(textsOf(3)).toHaveLength(3);
  expect(textsOf(3).join()).not.toContain('more profile');
  expect(textsOf(5)).toHaveLength(4);
  expect(textsOf(5).at(-1)).toBe('2 more profiles in the results.');
});

test('code of a file outside of functions has no place of its own', () => {
  const template = { ...find, name: 'site/home.php', file: 'site/home.php', line: null } as const;
  expect(tell([culprit(2200, template)])).toEqual([
    'Most of it: site/home.php +2.2 ms of +2.3 ms CPU per request (changed here).',
  ]);
  expect(tell([culprit(2200, { ...template, changed: false })])).toEqual([
    'Most of it: site/home.php +2.2 ms of +2.3 ms CPU per request.',
  ]);
});

test('as many functions as make up most of it, three at most', () => {
  expect(tell([culprit(900), culprit(800, save), culprit(200)])).toEqual([
    'Most of it: App\\A::find() +900 µs and App\\B::save() +800 µs of +2.3 ms CPU per request (src/A.php:41, changed here; src/B.php).',
  ]);
  expect(tell([culprit(300), culprit(200, save), culprit(100), culprit(90)])).toEqual([
    expect.stringMatching(
      /^Part of it: App\\A::find\(\) \+300 µs, App\\B::save\(\) \+200 µs and .* of \+2\.3 ms/,
    ),
  ]);
});

test('of functions that are about alike each is named, though the first has half of it', () => {
  const alike = [culprit(1180), culprit(1000, save), culprit(100)];
  expect(tell(alike)).toEqual([
    expect.stringContaining('A::find() +1.2 ms and App\\B::save() +1 ms of +2.3 ms'),
  ]);
  const better = alike.map(({ change: { us }, ...rest }) => culprit(-us, rest.function));
  expect(tell(better, { changeUs: -2300 })).toEqual([
    expect.stringContaining('−1.2 ms and App\\B::save() −1 ms'),
  ]);
});

test('the function that is called and has it, or that many have', () => {
  expect(tell([culprit(1900, find, { within: hydrate })])).toEqual([
    'Most of it: App\\A::find() +1.9 ms of +2.3 ms CPU per request (src/A.php:41, changed here, in Orm::hydrate(), which it calls).',
  ]);
  expect(tell([culprit(1900, save, { isSpread: true })])).toEqual([
    'Most of it: App\\B::save() +1.9 ms of +2.3 ms CPU per request (src/B.php, in many functions that it calls).',
  ]);
  expect(tell([culprit(1900, null)])).toEqual([
    'Most of it: autoloading +1.9 ms of +2.3 ms CPU per request.',
  ]);
});

test('the changed function that calls it, where its own file did not change', () => {
  expect(tell([culprit(1900, save, { caller: find })])).toEqual([
    'Most of it: App\\B::save() +1.9 ms of +2.3 ms CPU per request (src/B.php, called by App\\A::find() in src/A.php:41, changed here).',
  ]);
  const file = { ...find, name: 'public/index.php', file: 'public/index.php' };
  expect(tell([culprit(1900, save, { caller: file })])).toEqual([
    expect.stringContaining('(src/B.php, called by public/index.php, changed here).'),
  ]);
});

test('what became cheaper, where something else became dearer by more than all', () => {
  expect(tell([culprit(4000), culprit(-1700, save)])).toEqual([
    'Most of it: App\\A::find() +4 ms and App\\B::save() −1.7 ms, in all +2.3 ms CPU per request (src/A.php:41, changed here; src/B.php).',
  ]);
});

test('three functions at most, also with one that became cheaper', () => {
  const [text] = tell([culprit(-2000, save), culprit(1600), culprit(1500), culprit(1400)]);
  expect(text?.match(/ms/g)).toHaveLength(4);
  expect(text).toMatch(/\+1\.6 ms, .*\+1\.5 ms and App\\B::save\(\) −2 ms, in all \+2\.3 ms/);
});

describe('a function that moved to another class or namespace', () => {
  const named = (name: string) => ({ ...find, name, file: 'src/Cart.php' });
  const sides = (name: string, variant: number, base: number): Culprit =>
    culprit(variant - base, named(name), { us: { variant, base } });

  test('is one function: its time on both sides is no change', () => {
    const rate = culprit(600, save);
    const old = sides('App\\Cart::total', 0, 3000);
    const change = { changeUs: 600 };
    const expected = 'Most of it: App\\B::save() +600 µs of +600 µs CPU per request (src/B.php).';
    expect(tell([sides('App\\Shop\\Cart::total', 3000, 0), old, rate], change)).toEqual([expected]);
    expect(tell([old, sides('App\\Basket::total', 3000, 0), rate], change)).toEqual([expected]);
  });

  test('has the difference of both where that is sure', () => {
    const moved = [sides('App\\Shop\\Cart::total', 4900, 0), sides('App\\Cart::total', 0, 3000)];
    expect(tell(moved)).toEqual([
      'Most of it: App\\Shop\\Cart::total() +1.9 ms of +2.3 ms CPU per request (src/Cart.php:41, changed here).',
    ]);
  });

  test('is taken for that with the same class first, and others are left alone', () => {
    const head = [sides('App\\Shop\\Tax::total', 2000, 0), sides('App\\Shop\\Cart::total', 3000, 0)];
    const base = [sides('App\\Cart::total', 0, 3000), sides('App\\Tax::rate', 0, 500)];
    expect(tell([...head, ...base], { changeUs: 1500 })).toEqual([
      'Most of it: App\\Shop\\Tax::total() +2 ms and App\\Tax::rate() −500 µs, in all +1.5 ms CPU per request (src/Cart.php:41, changed here; src/Cart.php:41, changed here).',
    ]);
    const closures = [sides('App\\A::run::{closure}', 1900, 0), sides('App\\B::go::{closure}', 0, 900)];
    const others = [sides('App\\Audit::handle', 1000, 0), sides('App\\Mail::handle', 0, 900)];
    expect(tell(others)[0]).toContain('App\\Audit::handle');
    expect(tell(closures)).toEqual([expect.stringContaining('App\\A::run::{closure} +1.9 ms of')]);
  });
});

test('the interval of a function, where too few samples give it more than all of the change', () => {
  const change = { us: 2900, low: 1100, high: 4700, sure: true };
  expect(tell([culprit(2900, find, { change })])).toEqual([
    'Most of it: App\\A::find() +2.9 ms (+1.1 ms to +4.7 ms), in all +2.3 ms CPU per request (src/A.php:41, changed here).',
  ]);
});

test('a change for the better', () => {
  expect(tell([culprit(-1900)], { changeUs: -2300 })).toEqual([
    'Most of it: App\\A::find() −1.9 ms of −2.3 ms CPU per request (src/A.php:41, changed here).',
  ]);
});

test('nothing is claimed of a change that is not sure', () => {
  expect(tell([culprit(1900)], { isSure: false })).toEqual([
    'Functions that changed: App\\A::find() +1.9 ms CPU per request (src/A.php:41, changed here).',
  ]);
  expect(tell([], { isSure: false })).toEqual([]);
  expect(tell([culprit(1900)], { base: null, against: null })).toEqual([]);
});

test('functions that became cheaper, in a request that became dearer', () => {
  expect(tell([culprit(-1900), culprit(-300, save)])).toEqual([
    'Functions that changed: App\\A::find() −1.9 ms and App\\B::save() −300 µs CPU per request (src/A.php:41, changed here; src/B.php). The whole request changed by +2.3 ms: no single function is known for that.',
  ]);
});

test('a sure change without a sure function', () => {
  expect(tell([])).toEqual([
    ': No single function changed by a sure amount: the change is spread over many, or the profile is too short to show one.',
  ]);
  expect(tell([], { tests: 0 })).toEqual([': Too few samples to name functions that it comes from.']);
});

test('with several variants each has its own cause', () => {
  const summary = summaryOf('why');
  const [why] = summary.why as [Why];
  const other = { ...why, variant: 'nginx-fpm@8.4[listen=unix]', culprits: [culprit(20)], isSure: true };
  const both: Summary = { ...summary, why: [why, other] };
  const told = tellCauses(changeRows(both, medium), both, medium).map(({ text }) => text);
  expect(told).toEqual([
    expect.stringMatching(/^App\\Repository::find\(\) .* with apache\.$/),
    expect.stringMatching(/^App\\A::find\(\) .* with nginx-fpm \(unix\)\.$/),
  ]);
});

describe('two rows of one version', () => {
  const tellOf = (more: Partial<Why>, scenario = 'quick'): string => {
    const summary = summaryOf('why-rows');
    const why = summary.why.map((one) => (one.against === 'row' ? { ...one, ...more } : one));
    return tellRows(scenario, { ...summary, why }, medium);
  };

  test('functions of the second compared with the first, and never a change of the pull request', () => {
    const culprits = [culprit(1900, { ...find, changed: false }), culprit(-42, save)];
    expect(tellOf({ culprits })).toBe(
      'Functions of nginx-fpm (unix) compared with apache: App\\A::find() +1.9 ms and App\\B::save() −42 µs CPU per request (src/A.php:41; src/B.php). Profiling, in a pass of its own, added 3 % to the CPU of a request.',
    );
    const summary = summaryOf('why-rows');
    expect(tellCauses(changeRows(summary, medium), summary, medium)).toEqual([]);
  });

  test('of a server that keeps the app and one that does not: nothing is compared, and why', () => {
    const compared = summaryOf('why-alone');
    const summary = { ...compared, why: compared.why.filter(({ against }) => against === null) };
    const [first, second] = summary.why as [Why, Why];
    const variants = summary.variants.map((one) =>
      one.id === second.variant ? { ...one, model: 'long-lived' as const } : one,
    );
    const told = 'Functions of apache and nginx-fpm (unix) are not compared: ';
    const kept = `${told}apache starts the app for each request, and nginx-fpm (unix) keeps the app in memory.`;
    expect(tellRows('quick', { ...summary, variants }, medium)).toBe(kept);
    const old = summary.variants.map((one) => ({ ...one, php: one.id === first.variant ? '8.2' : '8.4' }));
    expect(tellRows('quick', { ...summary, variants: old }, medium)).toBe(
      `${told}they run different versions of PHP.`,
    );
    expect(tellRows('quick', { ...summary, variants, why: [first] }, medium)).toBe('');
    expect(tellRows('quick', { ...summary, variants, why: [first, second, second] }, medium)).toBe('');
  });

  test('without a sure difference, and where nothing was compared', () => {
    expect(tellOf({ culprits: [] })).toMatch(/compared with apache: none surely takes more or less CPU\./);
    expect(tellOf({ culprits: [], tests: 0 })).toMatch(/: too few samples to find a difference\./);
    expect(tellOf({}, 'other')).toBe('');
    expect(tellRows('quick', summaryOf('why'), medium)).toBe('');
  });
});

test.each([
  [1900, '+1.9 ms'],
  [-42.4, '−42 µs'],
  [999.7, '+1 ms'],
  [0.31, '+0.31 µs'],
  [123_456, '+120 ms'],
])('%f µs is %s', (us, text) => expect(signedTime(us)).toBe(text));

test('names of functions and files', () => {
  expect(time(0)).toBe('0 µs');
  expect(callName(find)).toBe('App\\A::find()');
  expect(callName({ ...find, name: 'src/A.php' })).toBe('src/A.php');
  expect(callName({ ...find, name: '{closure:App\\A::find():41}' })).toBe('{closure:App\\A::find():41}');
});
