import type { Limit, Row, ScenarioSummary, Summary } from '../analyse/summary.ts';
import type { Estimate } from '../stats/estimate.ts';
import { cleanLine, cleanText, clip } from '../text/plain.ts';
import { capacityLegend, hasCapacity } from './capacity.ts';
import { bothTitle, type Medium } from './changes.ts';
import { checkedLines } from './checked.ts';
import { answerText, logText, shownOf } from './evidence.ts';
import {
  type Column,
  chooseColumns,
  coloured,
  GAP,
  layOut,
  plain,
  type Style,
  type Styles,
  uncoloured,
  widthOf,
  wrap,
} from './layout.ts';
import { atLeast, bytes, digits, held, ms, NOTHING, share, withHalf } from './numbers.ts';
import { checked, hasChecks, hasFailedChecks, thresholdsLine } from './scripted.ts';
import { decay, growth, hasSoak, soakLegend } from './soak.ts';
import { startsLegend, startsOf } from './starts.ts';
import { tuned } from './tune.ts';
import { type Deltas, deltaLegend, deltasOf, deltaTitle, findable, headline, tellGates } from './verdicts.ts';
import {
  conditions,
  cpuVerdict,
  DOUBTFUL_LEGEND,
  exceptions,
  hasHolds,
  holdsLegend,
  intervalLegend,
  isDoubtful,
  overhead,
  reasonOf,
  verdict,
} from './words.ts';

export interface TableOptions {
  /** Columns of the terminal. */
  width: number;
  /** Colour is for terminals, and not where NO_COLOR is set: the caller knows. */
  color: boolean;
}

/** In a narrow terminal these go first, one after the other. */
const DROP_ORDER = [
  'decay',
  'memory',
  'cpu ±',
  'capacity ±',
  'p95',
  'p50',
  'cpu',
  '±',
  'Δ interval',
  'growth',
];
/** Then these: what changed is what a comparison with another ref is for, between runtimes RPS says the same. */
const DROP_LAST = {
  base: ['ok', 'rps', 'p99', 'Δ numbers'],
  earlier: ['ok', 'rps', 'p99', 'Δ numbers'],
  reference: ['Δ verdict', 'Δ', 'ok'],
};

/** Names of refs can be long, and words are not broken. */
const NAME_COLUMNS = 40;
const medium: Medium = { name: (text) => clip(cleanLine(text), NAME_COLUMNS), text: cleanLine };

/** The comparison as a table for a terminal: one row a variant, best first; what cannot be ranked apart, with why. */
export function renderTable(summary: Summary, { width, color }: TableOptions): string {
  const styles = color ? coloured : uncoloured;
  const scenarios = summary.scenarios.map((scenario) => renderScenario(scenario, summary, width, styles));
  const warnings = summary.warnings.map(({ code, message, remedy }) =>
    eachLine(wrap(cleanLine(`! ${code}: ${message}. Remedy: ${remedy}.`), width, '  '), styles.warn),
  );
  const changes = [...tellChanges(summary, width, styles), ...tellGateLines(summary, width, styles)];
  const starts = startsOf(summary.variants).map(({ label, median, mean, size }) =>
    wrap(`  ${cleanLine(label)}: median ${median} ms, mean ${mean} ms; image ${size}`, width, '    '),
  );
  if (starts.length > 0) {
    scenarios.push(
      [
        styles.bold('cold starts'),
        ...starts,
        styles.dim(wrap(cleanLine(startsLegend(summary.variants)), width, '  ')),
      ].join('\n'),
    );
  }
  const checkedBefore = checkedLines(summary.checked, summary.variants).map((line) =>
    eachLine(wrap(`checked: ${line}`, width, '  '), styles.dim),
  );
  const parts = [changes.join('\n'), ...scenarios, warnings.join('\n')].filter(Boolean);
  return `${[...parts, checkedBefore.join('\n'), styles.dim(wrap(overhead(summary), width, '  '))].filter(Boolean).join('\n\n')}\n`;
}

/** What changed against the other ref: a line for each kind of verdict. */
function tellChanges(summary: Summary, width: number, styles: Styles): string[] {
  const style = {
    slower: styles.bad,
    faster: styles.best,
    inconclusive: styles.warn,
    'no-difference': plain,
    missing: styles.warn,
  };
  return headline(summary, medium).map(({ kind, text }) => eachLine(wrap(text, width, '  '), style[kind]));
}

function tellGateLines(summary: Summary, width: number, styles: Styles): string[] {
  const style = { failed: styles.bad, passed: plain, open: styles.warn };
  return tellGates(summary, medium).map(({ state, gate, verdict, because }) =>
    eachLine(wrap(`${gate} ${verdict}: ${because}.`, width, '  '), style[state]),
  );
}

/** Colour ends with its line: pagers start each line anew. */
function eachLine(text: string, style: Style): string {
  return text.split('\n').map(style).join('\n');
}

function renderScenario(scenario: ScenarioSummary, summary: Summary, width: number, styles: Styles): string {
  const { facts, rows, bases } = scenario;
  const title = styles.bold(clip(cleanLine(`${facts.name}: ${facts.title}`), width));
  const ranked = rows.filter((row) => row.state.kind === 'ranked');
  const apart = rows.filter((row) => row.state.kind === 'generator-bound' || row.state.kind === 'unranked');
  const failed = [...rows, ...bases].filter((row) => row.state.kind === 'failed');
  const deltas = deltasOf(scenario);

  const measured = [...ranked, ...apart];
  const columns = chooseColumns(columnsOf(scenario, deltas), measured, width, [
    ...DROP_ORDER,
    ...(deltas ? DROP_LAST[deltas.kind] : ['ok']),
  ]);
  const lines = layOut(columns, measured, width, styles);
  const margin = ' '.repeat(widthOf(columns[0] as Column, measured) + 2 * GAP.length);
  const [head, ...cells] = lines as [string, ...string[]];
  const table = [
    ...(measured.length > 0 ? [styles.dim(head)] : []),
    ...cells.slice(0, ranked.length),
    ...(apart.length > 0 ? [styles.dim('not ranked')] : []),
    ...apart.flatMap((row, i) => [
      cells[ranked.length + i] as string,
      styles.warn(wrap(`${margin}${cleanLine(reasonOf(row.state))}`, width, margin)),
      ...tellShown(row, measured, width),
    ]),
    ...(failed.length > 0 ? [styles.dim('failed')] : []),
    ...failed.flatMap((row) => {
      const text = `  ${cleanLine(row.label)}: ${cleanLine(reasonOf(row.state))}`;
      return [styles.bad(wrap(text, width, '    ')), ...tellShown(row, failed, width)];
    }),
  ];
  const showsDeltas = columns.some(({ key }) => key === 'Δ');
  const legend = [
    deltas && showsDeltas ? deltaLegend(deltas, summary, medium) : '',
    deltas ? findable(scenario, deltas) : '',
    intervalLegend(scenario),
    holdsLegend(scenario),
    capacityLegend(scenario),
    soakLegend(scenario),
    cleanLine(thresholdsLine(scenario)),
    isDoubtful(scenario) ? DOUBTFUL_LEGEND : '',
  ].filter(Boolean);
  return [
    title,
    styles.dim(wrap(cleanLine(conditions(scenario, summary)), width, '  ')),
    wrap([verdict, cpuVerdict, exceptions].map((say) => say(scenario, cleanLine)).join(' '), width, ''),
    ...tuned(scenario, summary, cleanLine).map((line) => styles.bold(wrap(line, width, '  '))),
    '',
    ...table,
    ...legend.map((line) => styles.dim(wrap(line, width, '  '))),
  ].join('\n');
}

/** What a row was answered and has logged, below its reason; once for all that say the same. */
function tellShown(row: Row, rows: readonly Row[], width: number): string[] {
  const shown = shownOf(row);
  if (!shown) return [];
  const said = JSON.stringify(shown);
  const first = rows.find((other) => JSON.stringify(shownOf(other)) === said);
  if (first && first !== row) return [wrap(`    the same as ${cleanLine(first.label)}`, width, '    ')];
  const block = (title: string, text: string) => [
    `    ${title}`,
    ...cleanText(text)
      .split('\n')
      .map((line) => wrap(`    | ${cleanLine(line)}`, width, '    | ')),
  ];
  return [
    ...(shown.answer ? block('it answered', answerText(shown.answer)) : []),
    ...(shown.log.trim() ? block('and logged', logText(shown.log)) : []),
  ];
}

function columnsOf(scenario: ScenarioSummary, deltas: Deltas | null): Column[] {
  const isBest = (row: Row) => row.variant === scenario.best;
  const best: Column['style'] = (row, styles) => (isBest(row) ? styles.best : undefined);
  const dim: Column['style'] = (_, styles) => styles.dim;
  const number = (key: string, title: string, cell: (row: Row) => string): Column => ({
    key,
    title,
    align: 'right',
    cell,
  });
  const half = (key: string, of: (row: Row) => Estimate | null): Column => ({
    key,
    title: '',
    align: 'left',
    cell: (row) => plusMinus(of(row)),
    style: dim,
  });
  const limit = (key: string, title: string, of: (row: Row) => Limit | null): Column =>
    number(key, title, (row) => {
      const found = of(row);
      return found?.kind === 'found' ? withHalf(found).value : held(found);
    });
  const latency = (key: 'p50' | 'p95' | 'p99'): Column[] => {
    const isMetric = scenario.metric === key;
    const value = number(key, `${key} ms`, (row) => {
      const found = row[key];
      const text = isMetric && found ? withHalf(found).value : ms(found?.value);
      return row.doubtful.includes(key) ? `~${text}` : text;
    });
    return isMetric ? [{ ...value, style: best }, half('±', (row) => row[key])] : [value];
  };
  const byRps = scenario.metric === 'rps';
  const columns: Column[] = [
    { key: 'rank', title: '#', align: 'right', cell: place(isBest), style: best },
    { key: 'label', title: 'variant', align: 'left', cell: (row) => cleanLine(row.label), style: best },
    ...(deltas ? deltaColumns(deltas) : []),
    ...(hasHolds(scenario)
      ? [
          {
            ...limit('holds', 'holds rps', ({ holds }) => holds),
            ...(scenario.metric === 'holds' ? { style: best } : {}),
          },
          half('±', ({ holds }) => (holds?.kind === 'found' ? holds : null)),
        ]
      : []),
    ...(hasCapacity(scenario)
      ? [
          limit('capacity', 'capacity rps', ({ capacity }) => capacity),
          half('capacity ±', ({ capacity }) => (capacity?.kind === 'found' ? capacity : null)),
        ]
      : []),
    { ...number('rps', 'RPS', (row) => rps(row, byRps)), ...(byRps ? { style: best } : {}) },
    ...(byRps ? [half('±', (row) => (row.state.kind === 'generator-bound' ? null : row.rps))] : []),
    ...latency('p50'),
    ...latency('p95'),
    ...latency('p99'),
    {
      ...number('ok', 'OK', (row) => share(row.okRatio)),
      style: (row, styles) => (row.okRatio !== null && row.okRatio < 1 ? styles.bad : undefined),
    },
    ...(hasChecks(scenario)
      ? [
          {
            ...number('checks', 'checks', checked),
            style: (row: Row, styles: Styles) => (hasFailedChecks(row) ? styles.bad : undefined),
          },
        ]
      : []),
    number('cpu', 'CPU ms/req', (row) =>
      row.cpuMsPerRequest ? withHalf(row.cpuMsPerRequest).value : NOTHING,
    ),
    half('cpu ±', (row) => row.cpuMsPerRequest),
    number('memory', 'memory', (row) => (row.memory ? bytes(row.memory.medianBytes) : NOTHING)),
    ...(hasSoak(scenario)
      ? [
          {
            ...number('growth', 'memory/1,000 req', ({ soak }) => growth(soak)),
            style: (row: Row, styles: Styles) => (row.soak?.leaks ? styles.bad : undefined),
          },
          number('decay', 'RPS, end', ({ soak }) => decay(soak)),
        ]
      : []),
  ];
  return columns;
}

/** Change, interval and verdict; the verdict has a word for what colour says. */
function deltaColumns(deltas: Deltas): Column[] {
  const isReference = (row: Row) => row.variant === deltas.reference;
  const left = (key: string, cell: Column['cell'], style: Column['style'], title = ''): Column => ({
    ...{ key, title, align: 'left', cell },
    ...(style && { style }),
  });
  return [
    ...(deltas.hasBoth
      ? [left('Δ numbers', (row) => deltas.of(row)?.both ?? '', undefined, bothTitle(deltas.kind))]
      : []),
    {
      key: 'Δ',
      title: deltas.metric === 'cpu' ? 'Δ CPU/req' : deltaTitle(deltas),
      align: 'right',
      cell: (row) => deltas.of(row)?.change?.value ?? (isReference(row) ? '' : NOTHING),
    },
    left(
      'Δ interval',
      (row) => deltas.of(row)?.change?.interval ?? '',
      (_, styles) => styles.dim,
    ),
    left(
      'Δ verdict',
      (row) => deltas.of(row)?.mark ?? (isReference(row) ? 'reference' : ''),
      (row, styles) => {
        const verdict = deltas.of(row)?.comparison.verdict;
        return verdict === 'slower' ? styles.bad : verdict === 'faster' ? styles.best : undefined;
      },
    ),
  ];
}

function place(isBest: (row: Row) => boolean): Column['cell'] {
  return (row) => {
    if (row.state.kind !== 'ranked') return '';
    return `${isBest(row) ? '★ ' : ''}${row.state.shared ? '=' : ''}${row.state.rank}`;
  };
}

function rps(row: Row, withInterval: boolean): string {
  if (!row.rps) return NOTHING;
  if (row.state.kind === 'generator-bound') return atLeast(row.rps.value);
  return withInterval ? withHalf(row.rps).value : digits(row.rps.value);
}

function plusMinus(estimate: Estimate | null): string {
  const half = estimate ? withHalf(estimate).half : '';
  return half === '' ? '' : `± ${half}`;
}
