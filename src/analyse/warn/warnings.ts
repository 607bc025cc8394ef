import { median } from 'simple-statistics';
import { wantsVerdicts, warnOfFewStarts } from '../../plan/warn/few-starts.ts';
import type { Measurement, Results, Warning } from '../../results/results.ts';
import { FOREIGN_CPU, IDLE_CPU, STALL, STEAL } from '../../stats/limits.ts';
import { listNames, someOf } from '../../text/plain.ts';
import type { ScenarioSummary } from '../summary.ts';
import { isCondition } from './earlier.ts';
import { OF_MACHINE, sortByEffect } from './effects.ts';
import { findFlaws, warning } from './flaws.ts';
import { findScriptFlaws } from './script-flaws.ts';

/** Within so long the sampler has read the counters more than once. */
const SAMPLED_MS = 500;

const UNSEEN = ['few-instances', 'no-samples'];
/** They are about numbers, which a run that measured nothing has not. */
const OF_NUMBERS = [...OF_MACHINE, 'few-instances', 'dev-packages', 'shortened'];

/** Everything that makes a number less than it seems, with what to do about it. The strongest effects come first. */
export function findWarnings(results: Results, scenarios: readonly ScenarioSummary[]): Warning[] {
  const found = [
    ...ofRun(results, scenarios),
    ...ofEarlier(results),
    ...scenarios.flatMap((scenario) => [...findFlaws(scenario, results), ...findScriptFlaws(scenario)]),
    ...ofMachine(results),
  ];
  const known = new Set(results.warnings.map(subjectOf));
  // Nothing of a site in a cluster is started, and only its answers are seen: that is reported once.
  const unseen = results.plan.elsewhere?.kind === 'cluster' ? UNSEEN : [];
  const isNew = (one: Warning) => !known.has(subjectOf(one)) && !unseen.includes(one.code);
  const all = [...results.warnings, ...found.filter(isNew)];
  const isMeasured = results.measurements.length > 0;
  return sortByEffect(isMeasured ? all : all.filter(({ code }) => !OF_NUMBERS.includes(code)));
}

/** A warning about another scenario is another warning. */
const subjectOf = ({ code, message }: Warning) => `${code} ${/^scenario [^:]+/.exec(message)?.[0] ?? ''}`;

function ofRun({ run, plan, variants }: Results, scenarios: readonly ScenarioSummary[]): Warning[] {
  const warnings: Warning[] = [];
  // As many as there were: a run may have been cut short, or put together from several.
  const found = scenarios.flatMap(({ starts }) => (starts > 0 ? [starts] : []));
  const least = Math.min(...(found.length > 0 ? found : [plan.instances]));
  if (run.stopped) {
    warnings.push(
      warning(
        'stopped',
        `the run was stopped by ${run.stopped} before its plan was done: it has less data than planned`,
        'run it again to the end',
      ),
    );
  }
  warnings.push(...warnOfFewStarts(least, wantsVerdicts(variants, plan.gates)));
  const off = variants.filter((variant) => variant.facts && !variant.facts.opcache);
  if (off.length > 0) {
    const labels = off.map((variant) => variant.label).join(', ');
    warnings.push(
      warning(
        'opcache-off',
        `opcache is off in ${labels}: the numbers include compiling PHP files, which production avoids`,
        'turn it on, as in production',
      ),
    );
  }
  return [
    ...warnings,
    ...ofDebug(variants),
    ...ofUncached(variants),
    ...ofRecompiled(variants),
    ...ofPhp(variants),
  ];
}

/** Tools of development, which may take most of a request, and how to turn them off. */
const DEBUG_TOOLS: readonly [setting: string, what: string, off: string][] = [
  ['debug', 'the debug mode of the app', '`env`: APP_DEBUG=false'],
  ['telescope', 'the package telescope', '`env`: TELESCOPE_ENABLED=false'],
  ['debugbar', 'the package debugbar', '`env`: DEBUGBAR_ENABLED=false'],
  ['xdebug', 'the extension xdebug', '`env`: XDEBUG_MODE=off'],
  ['pcov', 'the extension pcov', '`ini`: pcov.enabled=0'],
];

function ofDebug(variants: Results['variants']): Warning[] {
  return DEBUG_TOOLS.flatMap(([setting, what, off]) => {
    const own = variants.filter(({ facts }) => facts?.settings?.[setting] === 'on');
    if (own.length === 0) return [];
    return [
      warning(
        'debug-on',
        `${what} is on in ${listNames(own.map(({ label }) => label))}: each request does work that production avoids`,
        `turn it off with ${off}`,
      ),
    ];
  });
}

/** The build shows why there is no cache, but not where its step comes from a cache itself. */
function ofUncached(variants: Results['variants']): Warning[] {
  const all = Map.groupBy(variants, ({ facts }) => (facts?.uncached ?? []).join(' and '));
  return [...all].flatMap(([caches, own]) =>
    caches === ''
      ? []
      : [
          warning(
            'uncached',
            `${listNames(own.map(({ label }) => label))}: served without Laravel's ${caches} cache, so each request reads those files`,
            `run php artisan ${caches.replaceAll(' and ', ':cache and ')}:cache in the app to see why it fails; if production has none either, nothing is wrong`,
          ),
        ],
  );
}

function ofRecompiled(variants: Results['variants']): Warning[] {
  const all = variants.filter(({ recompiled = 0 }) => recompiled > 0);
  if (all.length === 0) return [];
  const counts = all.map(
    ({ label, recompiled = 0 }) => `${recompiled.toFixed(1).replace('.0', '')} on ${label}`,
  );
  return [
    warning(
      'recompiled',
      `OPcache does not keep all files, so PHP compiles some again in each request: ${counts.join(', ')}`,
      'look for files with the time 1970-01-01, which OPcache never keeps, or increase `opcache.max_accelerated_files` and `opcache.memory_consumption`',
    ),
  ];
}

/** Differences between this run and the earlier one that it is compared with, beside the app. */
function ofEarlier({ comparisons }: Results): Warning[] {
  const reasons = comparisons.flatMap((one) => (one.against === 'earlier' ? one.reasons : []));
  const found = [...new Set(reasons)].filter(isCondition);
  if (found.length === 0) return [];
  return [
    warning(
      'earlier-differs',
      `the earlier run was measured under other conditions: ${found.join('; ')}. The changes against it are not those of the app alone`,
      'repeat the earlier run under the conditions of today, or compare two refs in one run',
    ),
  ];
}

/** Base images are not built anew on the same day: one may have a PHP that is months older than another's. */
function ofPhp(variants: Results['variants']): Warning[] {
  const known = variants.filter(({ facts }) => facts);
  return [...new Set(known.map(({ php }) => php))].flatMap((minor) => {
    const own = known.filter(({ php }) => php === minor);
    const alike = Map.groupBy(own, ({ facts }) => facts?.php);
    if (alike.size < 2) return [];
    const parts = [...alike].map(
      ([version, all]) => `${version} in ${all.map(({ label }) => label).join(', ')}`,
    );
    return [
      warning(
        'php-differs',
        `variants of PHP ${minor} run different releases: ${parts.join('; ')}. Differences between them may come from PHP itself`,
        'pull the older base images again, or map them with `images` to images of the same release',
      ),
    ];
  });
}

function ofMachine(results: Results): Warning[] {
  const { plan, measurements, duets } = results;
  const shared = plan.elsewhere ? [] : plan.cpus.server.filter((cpu) => plan.cpus.load.includes(cpu));
  return [
    ...(shared.length > 0 ? [warnOfSharedCpus(shared)] : []),
    ...warnOfBlindness(measurements),
    ...warnOfIdlers(results),
    ...warnOfDisturbance([...measurements, ...duets]),
  ];
}

function warnOfSharedCpus(cpus: readonly number[]): Warning {
  return warning(
    'shared-cores',
    `servers and load generator share CPU ${cpus.join(', ')}: each takes time from the other`,
    'use a machine with two cores or more; compare only CPU per request here',
  );
}

function warnOfBlindness(measurements: Results['measurements']): Warning[] {
  const blind = measurements.filter(
    ({ outcome, cpu, generator }) => outcome === 'ok' && (cpu === null || generator.busyRatio === null),
  );
  if (blind.length === 0) return [];
  return [
    warning(
      'no-samples',
      `CPU could not be read in ${someOf(blind.length, measurements.length, 'slice')}: it is not known whether k6 was the limit there`,
      blind.every(({ durationMs }) => durationMs < SAMPLED_MS)
        ? 'use slices of half a second or more: counters are read every 0.1 s'
        : 'use a Docker engine without user namespaces, so that a container can see control groups',
    ),
  ];
}

/** By the middle of all slices of a variant: a server that polls does so all the time. */
function warnOfIdlers({ plan, measurements, variants }: Results): Warning[] {
  const limit = IDLE_CPU * 1e6 * plan.cpus.server.length;
  const readings = measurements.flatMap(({ variant, cpu, idle = [] }) => [
    ...idle,
    ...(typeof cpu?.idleUsPerSecond === 'number' ? [{ variant, usPerSecond: cpu.idleUsPerSecond }] : []),
  ]);
  const idlers = [...Map.groupBy(readings, ({ variant }) => variant)].flatMap(([variant, own]) =>
    median(own.map(({ usPerSecond }) => usPerSecond)) > limit
      ? [variants.find(({ id }) => id === variant)?.label ?? variant]
      : [],
  );
  if (idlers.length === 0) return [];
  return [
    warning(
      'busy-when-idle',
      `more than ${IDLE_CPU * 100} % of the servers' CPUs was used by ${listNames(idlers)} while others were loaded, which slows these down`,
      `measure ${idlers.length === 1 ? 'that variant' : 'each of those variants'} in a separate run`,
    ),
  ];
}

/** Each guard by the slices in which its limit was passed. */
function warnOfDisturbance(slices: readonly Pick<Measurement, 'guards'>[]): Warning[] {
  const count = (of: (guards: Measurement['guards']) => boolean) =>
    slices.filter(({ guards }) => of(guards)).length;
  const inSlices = (n: number) => `in ${someOf(n, slices.length, 'slice')}`;
  const foreign = count(({ foreignCpuRatio }) => (foreignCpuRatio ?? 0) > FOREIGN_CPU);
  const stolen = count(({ stealRatio }) => (stealRatio ?? 0) > STEAL);
  const stalled = count(({ stallMs }) => (stallMs ?? 0) > STALL);
  const found = [
    foreign > 0 &&
      warning(
        'foreign-cpu',
        `other processes used more than ${FOREIGN_CPU * 100} % of the cores ${inSlices(foreign)}`,
        'stop other programs on this machine',
      ),
    stolen > 0 &&
      warning(
        'steal',
        `the hypervisor took more than ${STEAL * 100} % of the CPU time ${inSlices(stolen)}`,
        'when comparing two refs, CPU per request is more reliable than RPS and latency; more --instances help',
      ),
    stalled > 0 &&
      warning(
        'stalls',
        `the machine stood still for more than ${STALL} ms ${inSlices(stalled)}`,
        'use a quieter machine or a longer run; intervals are wider where comparisons could not leave these slices out',
      ),
  ];
  return found.filter((one) => one !== false);
}
