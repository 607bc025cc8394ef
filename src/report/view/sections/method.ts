import type { Summary } from '../../../analyse/summary.ts';
import { QUANTILES } from '../../../results/quantiles.ts';
import { SCRIPT_LOAD, type ScenarioFacts } from '../../../results/results.ts';
import { plural } from '../../../text/plain.ts';
import { checkedLines } from '../../words/checked-lines.ts';
import { DOUBTFUL } from '../../words/legends.ts';
import { duration } from '../../words/numbers.ts';
import { placeRule } from '../../words/ranked.ts';
import { overhead, seedsOf, startedAfresh } from '../../words/run-facts.ts';
import type { Text } from '../model.ts';

/** How it was measured: how often what was loaded, and what the numbers mean. */
export interface Method {
  starts: string;
  loads: readonly Text[];
  /** Checks before the load. */
  checked: readonly Text[];
  effort: Text;
  /** Meanings of the columns. */
  terms: readonly (readonly [name: string, meaning: string])[];
  run: Text;
}

export function methodOf(summary: Summary): Method {
  const { run, scenarios } = summary;
  const stopped: Text = run.stopped
    ? ['; stopped by ', { code: run.stopped }, ' before the plan was done']
    : '';
  const isCluster = summary.plan.elsewhere?.kind === 'cluster';
  return {
    starts: isCluster
      ? 'The site was running already: nothing was started for the load.'
      : `Every server was started afresh ${startedAfresh(summary)}. A block is one slice of load on every variant, one after the other or in turns, in random order (${seedsOf(run)}); blocks do not overlap.`,
    loads: scenarios.map(({ facts }) => loadOf(facts)),
    checked: checkedLines(summary.checked, summary.variants).map((text) => ({ text })),
    effort: [overhead(summary), stopped, '.'],
    terms: termsOf(summary),
    run: ['Run ', { code: run.id }, ', ', { text: run.started }, ' to ', { text: run.finished }, '.'],
  };
}

function loadOf(facts: ScenarioFacts): Text {
  const warmup =
    facts.warmupMs > 0
      ? `after ${duration(facts.warmupMs / 1000)} of warm-up that is not counted`
      : 'without warm-up';
  const connection = facts.reuse ? '' : '; a new connection for each request';
  return [
    ...[{ code: facts.name }, ': journey ', { code: facts.journey }, ', load '],
    ...[
      facts.load === SCRIPT_LOAD ? 'of the script' : { code: facts.load },
      facts.blocks === 1 ? ' in 1 block' : ` in each of ${plural(facts.blocks, 'block')}`,
    ],
    ` per start, ${warmup}; timeout ${duration(facts.timeoutMs / 1000)}${connection}.`,
  ];
}

function termsOf(summary: Summary): Method['terms'] {
  return [
    ['RPS', "answers per second, mean of the starts' means."],
    ['±', '95 % t interval over the starts; with one start over its slices.'],
    ['≥', 'a lower bound: the load generator was the limit, or the ramp ended. The server can do more.'],
    [
      QUANTILES.join(', '),
      'from all requests of a variant pooled (histograms with buckets of 1 %), never averaged.',
    ],
    ['~', `${DOUBTFUL}.`],
    [
      'OK',
      "share of right answers; timeouts, resets and errors such as HTTP 500 count against it. A variant below the scenario's criterion (99 % if none is given) is not ranked.",
    ],
    [
      'CPU ms/request',
      "CPU time of the server's container during its slices ÷ requests. It hardly depends on the load generator.",
    ],
    ['#', `1 + the number of variants that are surely better, ${placeRule(summary)}. =: shared.`],
  ];
}
