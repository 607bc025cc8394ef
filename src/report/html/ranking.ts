import { passedRatio } from '../../analyse/script-rows.ts';
import type { Row, ScenarioSummary } from '../../analyse/summary.ts';
import type { Estimate } from '../../stats/estimate.ts';
import { hasCapacity } from '../capacity.ts';
import { answerText } from '../evidence.ts';
import { atLeast, bytes, digits, held, ms, NOTHING, share, withHalf } from '../numbers.ts';
import { checked, hasChecks, hasFailedChecks } from '../scripted.ts';
import { decay, growth, hasSoak } from '../soak.ts';
import { DOUBTFUL, hasHolds, reasonOf } from '../words.ts';
import type { Numbers } from './charts.ts';
import { type Html, html, name, sentence } from './html.ts';

/** A column: what it shows and what it is sorted by. */
interface Column {
  title: Html | string;
  kind: 'number' | 'text';
  cell: (row: Row) => Html | string;
  value: (row: Row) => number | string | null;
  className?: string;
}

/** The ranking, then what stands apart from it. */
export function renderRanking(scenario: ScenarioSummary, numbers: Numbers): Html {
  const { rows, bases } = scenario;
  const of = (kind: Row['state']['kind'], from = rows) => from.filter(({ state }) => state.kind === kind);
  const [ranked, bound, unranked] = [of('ranked'), of('generator-bound'), of('unranked')];
  const failed = of('failed', [...rows, ...bases]);
  const others = bases.filter(({ state }) => state.kind !== 'failed');
  const columns = columnsOf(scenario);
  const why: Column = {
    title: 'Why',
    kind: 'text',
    cell: (row) => sentence(reasonOf(row.state)),
    value: (row) => reasonOf(row.state),
    className: 'why',
  };
  const plain = columns.filter(({ className }) => className !== 'bar');
  const apart = (title: string, found: readonly Row[], shown = [...plain, why]) =>
    found.length > 0 && html`<h3>${title}</h3>${table(title, shown, found, numbers)}`;
  return html`${
    ranked.length > 0 && table('Ranking', [placeColumn(scenario), ...columns], ranked, numbers)
  }${apart('The load generator was the limit', bound)}${apart('Not ranked', unranked)}${apart('What they are compared with', others, plain)}${
    failed.length > 0 &&
    html`<h3>Failed</h3><ul class="failed">${failed.map((row) => renderFailed(row, numbers))}</ul>`
  }`;
}

const LOG_LINES = 30;
const LOG_CHARACTERS = 4000;

function renderFailed({ variant, label, state }: Row, numbers: Numbers): Html {
  const log = state.kind === 'failed' ? state.log.trimEnd() : '';
  const answer = state.kind === 'failed' && state.answer;
  const last = log.split('\n').slice(-LOG_LINES).join('\n').slice(-LOG_CHARACTERS);
  return html`<li data-variant="${numbers.get(variant)}">${name(label)}: ${reasonOf(state)}${
    answer &&
    html`<details><summary>What it answered</summary><pre tabindex="0" dir="auto">${answerText(answer)}</pre></details>`
  }${
    last &&
    html`<details><summary>Last lines of its log</summary><pre tabindex="0" dir="auto">${last}</pre></details>`
  }</li>`;
}

function table(title: string, columns: readonly Column[], rows: readonly Row[], numbers: Numbers): Html {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table class="rows" data-sortable>
<caption>${title}</caption>
<thead><tr>${columns.map(
    ({ title, kind, className }) =>
      html`<th scope="col" class="${[kind, className].filter(Boolean).join(' ')}" data-sort="${className === 'bar' ? null : kind}">${title}</th>`,
  )}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr data-variant="${numbers.get(row.variant)}" class="${row.state.kind === 'ranked' && row.state.rank === 1 && 'first'}">${columns.map((column) => cell(column, row))}</tr>\n`,
  )}</tbody></table></div>`;
}

function cell({ kind, cell: show, value, className }: Column, row: Row): Html {
  const sorted = value(row);
  const attributes = html`class="${[kind, className].filter(Boolean).join(' ')}" data-value="${sorted}"`;
  return className === 'variant'
    ? html`<th scope="row" ${attributes}>${show(row)}</th>`
    : html`<td ${attributes}>${show(row)}</td>`;
}

function placeColumn({ best }: ScenarioSummary): Column {
  return {
    title: html`<abbr title="place">#</abbr>`,
    kind: 'number',
    className: 'place',
    cell: ({ state, variant }) =>
      state.kind === 'ranked'
        ? html`${variant === best && html`<span class="star" title="surely ahead of all others">★</span> `}${state.shared ? '=' : ''}${state.rank}`
        : '',
    value: ({ state }) => (state.kind === 'ranked' ? state.rank : null),
  };
}

function columnsOf(scenario: ScenarioSummary): Column[] {
  const { metric, rows } = scenario;
  const main = (row: Row): Estimate | null => row[metric];
  const top = Math.max(
    ...rows
      .filter((row) => row.state.kind === 'ranked')
      .map((row) => (main(row)?.value ?? 0) + (main(row)?.half ?? 0)),
    Number.MIN_VALUE,
  );
  const latency = (key: 'p50' | 'p95' | 'p99'): Column => ({
    title: html`${key} <small>ms</small>`,
    kind: 'number',
    cell: (row) => {
      const doubt = row.doubtful.includes(key) && html`<abbr title="${DOUBTFUL}">~</abbr>`;
      return html`${doubt}${key === metric ? estimate(row[key]) : ms(row[key]?.value)}`;
    },
    value: (row) => row[key]?.value ?? null,
    ...(key === metric ? { className: 'main' } : {}),
  });
  return [
    {
      title: 'Variant',
      kind: 'text',
      className: 'variant',
      cell: (row) => name(row.label),
      value: (row) => row.label,
    },
    { title: '', kind: 'text', className: 'bar', cell: (row) => bar(main(row), top), value: () => null },
    ...(hasHolds(scenario) ? [holdsColumn(metric)] : []),
    ...(hasCapacity(scenario) ? [capacityColumn] : []),
    {
      title: html`RPS`,
      kind: 'number',
      cell: (row) => {
        if (!row.rps) return NOTHING;
        if (row.state.kind === 'generator-bound') return atLeast(row.rps.value);
        return metric === 'rps' ? estimate(row.rps) : digits(row.rps.value);
      },
      value: (row) => row.rps?.value ?? null,
      ...(metric === 'rps' ? { className: 'main' } : {}),
    },
    latency('p50'),
    latency('p95'),
    latency('p99'),
    {
      title: html`<abbr title="share of right answers">OK</abbr>`,
      kind: 'number',
      cell: (row) =>
        row.okRatio !== null && row.okRatio < 1
          ? html`<span class="bad">${share(row.okRatio)}</span>`
          : share(row.okRatio),
      value: (row) => row.okRatio,
    },
    ...(hasChecks(scenario) ? [checksColumn] : []),
    {
      title: html`CPU <small>ms/request</small>`,
      kind: 'number',
      cell: (row) => estimate(row.cpuMsPerRequest),
      value: (row) => row.cpuMsPerRequest?.value ?? null,
    },
    {
      title: 'Memory',
      kind: 'number',
      cell: (row) => (row.memory ? bytes(row.memory.medianBytes) : NOTHING),
      value: (row) => row.memory?.medianBytes ?? null,
    },
    ...(hasSoak(scenario) ? soakColumns : []),
  ];
}

const checksColumn: Column = {
  title: html`<abbr title="how often the check that failed most passed">Checks</abbr>`,
  kind: 'number',
  cell: (row) => (hasFailedChecks(row) ? html`<span class="bad">${checked(row)}</span>` : checked(row)),
  value: ({ checks: [worst] }) => (worst ? passedRatio(worst) : null),
};

const soakColumns: Column[] = [
  {
    title: html`Memory <small>per 1,000 requests</small>`,
    kind: 'number',
    cell: ({ soak }) => (soak?.leaks ? html`<strong class="bad">${growth(soak)}</strong>` : growth(soak)),
    value: ({ soak }) => soak?.bytesPerThousand.value ?? null,
  },
  {
    title: html`RPS <small>begin to end</small>`,
    kind: 'number',
    cell: ({ soak }) => decay(soak),
    value: ({ soak }) => soak?.decay?.value ?? null,
  },
];

const capacityColumn: Column = {
  title: html`<abbr title="the highest constant rate that was answered in time">Capacity</abbr> <small>rps</small>`,
  kind: 'number',
  cell: ({ capacity }) => (capacity?.kind === 'found' ? estimate(capacity) : held(capacity)),
  value: ({ capacity }) => capacity?.value ?? null,
};

function holdsColumn(metric: ScenarioSummary['metric']): Column {
  return {
    title: html`<abbr title="the highest rate of the ramp that was answered in time">Holds</abbr> <small>rps</small>`,
    kind: 'number',
    cell: ({ holds }) => (holds?.kind === 'found' ? estimate(holds) : held(holds)),
    value: ({ holds }) => holds?.value ?? null,
    ...(metric === 'holds' ? { className: 'main' } : {}),
  };
}

function estimate(found: Estimate | null): Html | string {
  if (!found) return NOTHING;
  const { value, half } = withHalf(found);
  return half === '' ? value : html`${value} <small>± ${half}</small>`;
}

/** Length for the number, whiskers for its interval. A style attribute would need a hole in the page's policy. */
function bar(found: Estimate | null, top: number): Html | string {
  if (!found) return '';
  const at = (value: number) => `${Math.max(0, Math.min(100, (value / top) * 100)).toFixed(1)}%`;
  const half = found.half ?? 0;
  const whisker =
    half > 0 && html`<line x1="${at(found.value - half)}" x2="${at(found.value + half)}" y1="50%" y2="50%"/>`;
  return html`<svg width="100%" height="14" aria-hidden="true"><rect width="${at(found.value)}" height="100%" rx="2"/>${whisker}</svg>`;
}
