import type { Row, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { QUANTILES } from '../../results/quantiles.ts';
import { cleanLine, clipMiddle, cutMiddle, plural } from '../../text/plain.ts';
import { answerOf, checkOf, type Point, type ReportAnswer } from '../view/answer/answer.ts';
import type { Mark } from '../view/answer/changerows.ts';
import { answerOfAll, GROUPS_APART, titleOfGroup } from '../view/answer/merged-answer.ts';
import { ASKED_PULL, type Medium, shortCommit, THIS_CHANGE, THIS_PULL } from '../view/medium.ts';
import type { RankColumn } from '../view/ranking.ts';
import { type ScenarioView, viewScenario } from '../view/scenario.ts';
import type { Names } from '../words/changes.ts';
import { groupAlike } from '../words/evidence.ts';
import { NOTHING } from '../words/numbers.ts';
import { reasonOf } from '../words/unranked.ts';
import { type Deltas, deltaTitle } from '../words/verdicts.ts';
import { code, escapeHtml, escapeMarkdown } from './escape.ts';
import { folded, table, tableOf, whole } from './markup.ts';
import { docsUrl } from './md-comparisons.ts';
import { renderDetails } from './md-details.ts';
import { renderChart } from './mermaid.ts';

/**
 * How much of it. `full` is report.md. `folded` leaves out endpoints, errors and logs. `short` keeps the verdict, the
 * first rows of each table and the codes of warnings: it fits in a comment however many variants there are.
 */
export type Stage = 'full' | 'folded' | 'short';

/** Fullest first: a publisher takes the first that fits. */
export const STAGES: readonly Stage[] = ['full', 'folded', 'short'];

/** Limits with which `short` fits whatever the labels are: a character takes up to eight when escaped. */
const SHORT = { scenarios: 6, rows: 40, label: 40, reason: 80, codes: 20 };

/** How rows are shown: how many of a scenario, and how much of the text of others. */
interface Limits {
  rows: number;
  label: number;
  reason: number;
}
const FULL: Limits = { rows: Infinity, label: Infinity, reason: 300 };

/** Columns of the name of a function, which a sentence has up to six of. */
const LONG = 120;

/** The place where it is published, as far as that is known. */
export interface PublishPlace {
  /** As the comment of a pull request. */
  isPull: boolean;
  /** The run is a check of that pull request. */
  isCheck: boolean;
  /** `https://github.com/octo/shop`, where commits are linked to; null: not known. */
  repositoryUrl: string | null;
  /** Shards that gave no results. */
  missing?: readonly number[];
}
export const NOWHERE: PublishPlace = { isPull: false, isCheck: false, repositoryUrl: null };

/** In the page about comparing. */
const ANCHOR = 'accept-a-slowdown-once';

/** Beside each there are words. */
const MARKS: Readonly<Record<Mark, string>> = { bad: '❌', warn: '⚠️', open: '❔', good: '✅' };

function namesOf({ label, reason }: Limits): Names {
  return {
    name: (text) => code(shortName(text, label)),
    text: (text) => escapeMarkdown(shorten(text, reason)),
  };
}

function mediumOf(limits: Limits, { isPull, isCheck, repositoryUrl, missing = [] }: PublishPlace): Medium {
  return {
    ...namesOf(limits),
    ...(isCheck ? THIS_PULL : isPull ? ASKED_PULL : THIS_CHANGE),
    code,
    call: (name) => code(clipMiddle(cleanLine(name), Math.min(LONG, limits.label))),
    place: (file) => escapeMarkdown(clipMiddle(cleanLine(file), Math.min(LONG, limits.label))),
    // Whatever is in the results: only what is a commit becomes part of a link.
    commit: (commit) =>
      repositoryUrl !== null && /^[0-9a-f]{7,64}$/.test(commit)
        ? `[${code(shortCommit(commit))}](${repositoryUrl}/commit/${commit})`
        : code(shortCommit(commit)),
    acceptOnce: (version) => `[accept it once](${docsUrl(version, 'comparing', ANCHOR)})`,
    ...{ marks: MARKS, missing },
  };
}

/**
 * The report as Markdown for GitHub: the answer, tables, and everything else folded below.
 *
 * @param summaries one, or several that must not be compared (other machines, other loads under the same name)
 * @param ranking of all machines
 */
export function renderMarkdown(
  summaries: Summary | readonly Summary[],
  stage: Stage = 'full',
  place: PublishPlace = NOWHERE,
  ranking = '',
): string {
  const groups = Array.isArray(summaries) ? (summaries as readonly Summary[]) : [summaries as Summary];
  const answer = mergedAnswer(groups, stage, place);
  const several = groups.length > 1;
  const isAnswered = answer !== null;
  const parts = groups.flatMap((summary, i) => {
    const body = renderGroup(summary, stage, place, { charts: !several, isAnswered });
    if (isFolded(answer)) return [folded(escapeHtml(titleOfGroup(summary, i, groups.length)), body)];
    return several ? [groupHeading(summary, i, groups.length, ranking !== ''), body] : [body];
  });
  return `${[renderTop(answer, ranking, place), ...parts].filter(Boolean).join('\n\n')}\n`;
}

/** One answer for several groups and the ranking of all machines, without the report of each; empty where there is none. */
export function renderMergedAnswer(groups: readonly Summary[], place: PublishPlace, ranking = ''): string {
  const answer = mergedAnswer(groups, 'short', place);
  return answer ? renderTop(answer, ranking, place) : '';
}

function mergedAnswer(groups: readonly Summary[], stage: Stage, place: PublishPlace): ReportAnswer | null {
  const isShort = stage === 'short';
  return answerOfAll(groups, mediumOf(isShort ? SHORT : FULL, place), isShort ? SHORT.rows : Infinity);
}

/** The ranking of servers is another question if something was compared. */
function isFolded(answer: ReportAnswer | null): boolean {
  return answer !== null && answer.rows.length > 0;
}

function renderTop(answer: ReportAnswer | null, ranking: string, place: PublishPlace): string {
  const among =
    isFolded(answer) && ranking ? folded(`${COMPARED(place)}, across machines`, ranking) : ranking;
  return [answer ? renderAnswer(answer) : '', among].filter(Boolean).join('\n\n');
}

/** The table that leads, for where a verdict and details have no place: of changes, else of the ranking. */
export function renderMarkdownTable(summary: Summary): string {
  const answer = answerOf(summary, mediumOf(FULL, NOWHERE));
  if (answer && answer.rows.length > 0) return `${tableOf(answer.table)}\n`;
  return `${summary.scenarios.map((scenario) => tables(viewOf(scenario, summary, FULL), FULL)).join('\n\n')}\n`;
}

/** @param isRanked one ranking of all comes before */
function groupHeading(summary: Summary, index: number, of: number, isRanked: boolean): string {
  const note = index === 0 && !isRanked ? `\n\n${GROUPS_APART}` : '';
  return `# ${escapeMarkdown(titleOfGroup(summary, index, of))}${note}`;
}

/**
 * @param charts one group's charts are worth their room; those of several machines would be taken for one picture
 * @param isAnswered one answer for all groups comes before this one
 */
function renderGroup(
  summary: Summary,
  stage: Stage,
  place: PublishPlace,
  { charts = false, isAnswered = false },
): string {
  const { scenarios } = summary;
  const shown = stage === 'short' ? scenarios.slice(0, SHORT.scenarios) : scenarios;
  const limits = stage === 'short' ? { ...SHORT, rows: Math.floor(SHORT.rows / shown.length) } : FULL;
  const left = scenarios.length - shown.length;
  const most = stage === 'short' ? SHORT.rows : Infinity;
  const answer = isAnswered ? null : answerOf(summary, mediumOf(limits, place), most);
  // Beside a change a chart from zero hides what it is about.
  const rankings = [
    ...shown.map((scenario, i) =>
      renderScenario(
        scenario,
        summary,
        limits,
        charts && !isFolded(answer) && (stage !== 'short' || i === 0),
      ),
    ),
    left > 0 ? `${plural(left, 'more scenario')} in the full report.` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
  return [
    answer ? renderAnswer(answer) : renderPoints(checkOf(summary, mediumOf(limits, place))).join('\n\n'),
    isFolded(answer) ? folded(COMPARED(place), rankings) : rankings,
    stage === 'short' ? warningCodes(summary) : renderDetails(summary, stage),
  ]
    .filter(Boolean)
    .join('\n\n');
}

const COMPARED = ({ isPull }: PublishPlace) =>
  `Servers compared with each other (${isPull ? 'this PR' : 'this change'} only)`;

/** Did it get slower? The headline, how sure, what to do, and what changed. */
function renderAnswer({ mark, headline, points, title, table, notes, left }: ReportAnswer): string {
  return [
    `### ${MARKS[mark]} ${headline}`,
    ...renderPoints(points),
    title && `${title}:`,
    table.rows.length > 0 ? tableOf(table) : '',
    left > 0 ? `${plural(left, 'more row')} in the full report.` : '',
    notes.length > 0 ? `<sub>${notes.map(escapeMarkdown).join(' ')}</sub>` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

function renderPoints(points: readonly Point[]): string[] {
  return points.map(({ label, text }) => {
    if (label === '') return text;
    return text === '' ? `**${label}.**` : `**${label}:** ${text}`;
  });
}

function viewOf(scenario: ScenarioSummary, summary: Summary, limits: Limits): ScenarioView {
  const legend: Names = { name: (text) => shortName(text, limits.label), text: cleanLine };
  return viewScenario(scenario, summary, { medium: mediumOf(limits, NOWHERE), legend, most: limits.rows });
}

function renderScenario(
  scenario: ScenarioSummary,
  summary: Summary,
  limits: Limits,
  charts: boolean,
): string {
  const view = viewOf(scenario, summary, limits);
  const { title, verdict, tuned, others, left, functions, conditions, delta, legend } = view;
  const isOne = summary.scenarios.length === 1;
  return [
    `## ${escapeMarkdown(shorten(title, limits.reason))}${isOne ? '' : ` (${namesOf(limits).name(scenario.facts.name)})`}`,
    [`**${verdict}**`, ...tuned, ...others].join(' '),
    tables(view, limits),
    left > 0 ? `${plural(left, 'more variant')} in the full report.` : '',
    functions,
    charts ? renderChart(scenario) : '',
    `<sub>${[conditions, delta, ...legend].filter(Boolean).map(escapeMarkdown).join('<br>')}</sub>`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function shortName(text: string, characters: number): string {
  return cutMiddle(cleanLine(text), characters);
}

function shorten(text: string, characters: number): string {
  const line = cleanLine(text);
  return line.length > characters ? `${[...line].slice(0, characters).join('')}…` : line;
}

function tables(
  { place, label, numbers, deltas, ranked, apart, failed }: ScenarioView,
  limits: Limits,
): string {
  const unranked = apart.flatMap(({ rows }) => rows);
  const name = (row: Row) => code(shortName(row.label, limits.label));
  const reason = (row: Row) => escapeMarkdown(shorten(reasonOf(row.state), limits.reason));
  const failure = (alike: readonly [Row, ...Row[]]) => `- ${alike.map(name).join(', ')} ${reason(alike[0])}`;
  const columns: Columns = [
    columnOf(label, limits),
    ...(deltas ? [deltaColumn(deltas)] : []),
    ...numbers.map((column) => columnOf(column, limits)),
  ];
  return [
    ranked.length > 0 ? table([columnOf(place, limits), ...columns], ranked) : '',
    unranked.length > 0
      ? `Not ranked:\n\n${table([...columns, { title: 'Why', cell: reason }], unranked)}`
      : '',
    failed.length > 0 ? `Failed:\n\n${groupAlike(failed, reason).map(failure).join('\n')}` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

type Columns = Parameters<typeof table<Row>>[0];

/** Their cells may break at the `±`. */
const NUMBERS: readonly string[] = ['rps', ...QUANTILES, 'cpu'];

function columnOf({ title, unit, isText, key, cell }: RankColumn, { label }: Limits): Columns[number] {
  return {
    title: unit ? `${title} ${unit}` : title,
    right: !isText,
    cell: (row) => {
      const { text, half, isBest, isBad, isDoubtful } = cell(row);
      const joined = half ? `${text} ± ${half}` : text;
      const number = NUMBERS.includes(key) ? joined : whole(joined);
      const shown = isText ? code(shortName(text, label)) : number.replace('<', '&lt;');
      const isStrong = isBest || (isBad && key === 'growth');
      return `${isStrong ? '**' : ''}${isDoubtful ? '\\~' : ''}${shown}${isStrong ? '**' : ''}`;
    },
  };
}

/** Change, interval and verdict in one cell, each of which stays whole where a phone breaks the line. */
function deltaColumn(deltas: Deltas): Columns[number] {
  return {
    title: deltaTitle(deltas),
    cell: (row) => {
      if (row.variant === deltas.reference) return 'reference';
      const delta = deltas.of(row);
      if (!delta) return NOTHING;
      const { change, comparison } = delta;
      const isSure = comparison.verdict === 'slower' || comparison.verdict === 'faster';
      const mark = delta.mark && (isSure ? `**${whole(delta.mark)}**` : whole(delta.mark));
      const parts = [change && whole(change.value), change?.interval && `(${change.interval})`, mark];
      return parts.filter(Boolean).join(' ') || NOTHING;
    },
  };
}

function warningCodes({ warnings }: Summary): string {
  const codes = [...new Set(warnings.map((warning) => warning.code))];
  const shown = codes.slice(0, SHORT.codes).map(code);
  const more = codes.length > shown.length ? [`${codes.length - shown.length} more`] : [];
  return codes.length > 0
    ? `${plural(warnings.length, 'warning')} (${[...shown, ...more].join(', ')}), explained in the full report.`
    : '';
}
