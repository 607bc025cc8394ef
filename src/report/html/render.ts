import { analyse } from '../../analyse/analyse.ts';
import type { Across } from '../../analyse/judge/across-shards.ts';
import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { Measurement, Results } from '../../results/results.ts';
import { cleanLine, plural } from '../../text/plain.ts';
import { isCompared } from '../view/answer/answer.ts';
import { GROUPS_APART, titleOfGroup } from '../view/answer/merged-answer.ts';
import { viewScenario } from '../view/scenario.ts';
import { verdict } from '../words/ranked.ts';
import { commitOf, commitWithFiles } from '../words/run-facts.ts';
import { exceptions } from '../words/unranked.ts';
import type { PageData } from './charts/chart.ts';
import { chartsOf, variantCharts } from './charts/charts.ts';
import type { Numbers } from './charts/variant-numbers.ts';
import { flameOf } from './flame/flame-data.ts';
import { type Html, html, isolate, sentence } from './html.ts';
import { renderAcrossHtml, renderMissingHtml } from './html-across.ts';
import { pageMedium, renderAnswer, renderAnswerHtml, renderComparisonsHtml } from './html-comparisons.ts';
import { renderEnvironment, renderMethod, renderScenarioDetails, renderStarts } from './html-details.ts';
import { renderRanking } from './html-ranking.ts';
import { renderPage } from './html-shell.ts';
import { renderWhy } from './html-why.ts';

/** A group of the report: its judged results, and the slices for the charts. */
interface HtmlGroup {
  summary: Summary;
  measurements: readonly Measurement[];
}

/** All that the page shows of results. */
export function htmlGroup(results: Results): HtmlGroup {
  return { summary: analyse(results), measurements: results.measurements };
}

/**
 * The report as one page that needs nothing but itself: tables are there as they are, its script draws the charts,
 * sorts and filters. It comes piece by piece: of a large run the page as a whole need not fit into memory.
 *
 * @param groups one, or several that must not be compared (other machines, other loads under the same name)
 * @param across the combined ranking, if they are shards of one plan
 * @param missing machines that gave no results, of whatever groups there are
 */
export function streamHtml(
  groups: readonly HtmlGroup[],
  across: Across | null = null,
  missing: readonly number[] = across?.missing ?? [],
): Generator<string> {
  const numbered = groups.map((group) => ({ ...group, numbers: numberVariants(group.summary) }));
  const title = titleOf(groups);
  const version = `${groups[0]?.summary.tool.version}`;
  const body = renderBody(numbered, { title, version, across, missing });
  return renderPage({ title, version, body, data: () => dataOf(numbered) });
}

const NO_SCRIPT = html`<p class="note no-script">The charts are drawn by a script, which does not run here.</p>`;

type Numbered = HtmlGroup & { numbers: Numbers };

/** In the order of the first ranking, so that the first ten colours go to the first ten places. */
function numberVariants({ variants, scenarios }: Summary): Numbers {
  const ids = [...(scenarios[0]?.rows.map((row) => row.variant) ?? []), ...variants.map(({ id }) => id)];
  return new Map([...new Set(ids)].map((id, number) => [id, number]));
}

function dataOf(groups: readonly Numbered[]): PageData {
  return {
    groups: groups.map(({ summary, measurements, numbers }) => {
      const byId = new Map(summary.variants.map((variant) => [variant.id, variant]));
      return {
        variants: [...numbers.keys()].map((id) => {
          const variant = byId.get(id);
          const text = (key: 'label' | 'app' | 'php' | 'runtime' | 'model') =>
            cleanLine(variant?.[key] ?? '');
          return {
            ...{ label: text('label'), app: text('app'), php: text('php') },
            ...{ runtime: text('runtime'), model: text('model') },
          };
        }),
        charts: variantCharts(summary.variants, numbers),
        ...(summary.why.length > 0 && {
          flames: summary.why.map((why) => flameOf(why, (id) => byId.get(id)?.label ?? id)),
        }),
        scenarios: summary.scenarios.map((scenario) => ({
          charts: chartsOf(scenario, measurements, numbers, summary.plan.cpus.server.length),
        })),
      };
    }),
  };
}

interface Page {
  title: string;
  version: string;
  across: Across | null;
  missing: readonly number[];
}

function* renderBody(
  groups: readonly Numbered[],
  { title, version, across, missing }: Page,
): Generator<Html> {
  const several = groups.length > 1;
  const answer = renderAnswerHtml(
    groups.map(({ summary }) => summary),
    missing,
  );
  const of = groups[0]?.summary.plan.shard?.of ?? 0;
  yield html`<a class="skip" href="#report">Skip to the results</a>
${renderHead(title, groups)}
<div id="filters" class="filters" hidden></div>
<main id="report">
${renderMissingHtml({ missing, of })}
${answer && html`${answer}<h2 class="between">Servers compared with each other</h2>`}
${across && renderAcrossHtml(across)}
${several && !across && html`<p class="note">${GROUPS_APART}</p>`}`;
  for (const [i, group] of groups.entries())
    yield* renderGroup(group, i, groups.length, { missing, isAnswered: answer !== null });
  yield html`</main>
<footer>Made by php-runtime-bench ${version}. Charts: uPlot, © Leon Sorokin, MIT licence.</footer>`;
}

function titleOf(groups: readonly HtmlGroup[]): string {
  const [first] = groups;
  if (groups.length !== 1 || !first) {
    return groups.every(({ summary }) => summary.plan.shard)
      ? `PHP runtimes: results of ${plural(groups.length, 'machine')}`
      : `PHP runtimes: ${plural(groups.length, 'group')} of results`;
  }
  const { variants, scenarios } = first.summary;
  const [only] = scenarios;
  const what = scenarios.length === 1 && only ? titleOfScenario(only) : plural(scenarios.length, 'scenario');
  const apps = [...new Set(variants.map(({ app }) => cleanLine(app)))];
  const whose = apps.length > 3 ? plural(apps.length, 'app') : apps.join(', ');
  const commit = commitOf(first.summary);
  const heads = variants.filter(({ ref }) => ref === null);
  return `${whose}, ${what}: ${plural(heads.length, 'variant')}${commit && ` (${commit})`}`;
}

function titleOfScenario({ facts }: ScenarioSummary): string {
  return cleanLine(facts.title || facts.name);
}

function renderHead(title: string, groups: readonly HtmlGroup[]): Html {
  const [first] = groups;
  const warnings = groups.reduce((sum, { summary }) => sum + summary.warnings.length, 0);
  const commit = first && commitWithFiles(first.summary);
  const facts =
    groups.length === 1 &&
    first &&
    html`<p class="facts-line"><time datetime="${first.summary.run.started}">${first.summary.run.started.slice(0, 16).replace('T', ' ')} UTC</time> · <span dir="auto">${first.summary.host.cpuModel}</span>${first.summary.host.cpus > 0 && ` · ${plural(first.summary.host.cpus, 'CPU')}`}${
      commit && html` · <span dir="auto">${commit}</span>`
    }${
      first.summary.run.stopped && html` · <strong class="bad">stopped early</strong>`
    }${warnings > 0 && html` · <a href="#warnings-0">${plural(warnings, 'warning')}</a>`}</p>`;
  return html`<header><p class="brand">php-runtime-bench</p><h1 dir="auto">${title}</h1>${facts}</header>`;
}

function* renderGroup(
  { summary, numbers }: Numbered,
  index: number,
  of: number,
  { missing, isAnswered }: { missing: readonly number[]; isAnswered: boolean },
): Generator<Html> {
  const { scenarios, warnings } = summary;
  yield html`<div class="group" data-group="${index}">
${of > 1 && html`<h2 dir="auto">${titleOfGroup(summary, index, of)}</h2>`}
${(!isAnswered || !isCompared(summary)) && renderAnswer(summary, numbers, missing)}
${!isAnswered && isCompared(summary) && html`<h2 class="between">Servers compared with each other</h2>`}
${scenarios.length > 1 && renderOverview(summary, index)}`;
  for (const [i, scenario] of scenarios.entries())
    yield renderScenario(scenario, summary, numbers, `${index}-${i}`);
  yield html`${renderWhy(summary, numbers, index)}`;
  const hasStarts = variantCharts(summary.variants, numbers).length > 0;
  yield html`${
    hasStarts &&
    html`<section class="card" id="variants-${index}"><h2>Starting up</h2>
${renderStarts(summary, numbers)}
${NO_SCRIPT}
<div class="charts" data-charts="${index}"></div></section>`
  }
${
  warnings.length > 0 &&
  html`<section class="card" id="warnings-${index}"><h2>${plural(warnings.length, 'warning')}</h2>
<dl class="warnings">${warnings.map(
    ({ code, message, remedy }) =>
      html`<div><dt>${code}</dt><dd dir="auto">${message}. <em>Remedy:</em> ${remedy}.</dd></div>`,
  )}</dl></section>`
}
<section class="card" id="environment-${index}"><h2>Environment</h2>${renderEnvironment(summary, numbers)}</section>
<section class="card" id="method-${index}"><h2>How this was measured</h2>${renderMethod(summary)}</section>
</div>`;
}

/** With several scenarios: what came out of each, to jump to. */
function renderOverview({ scenarios }: Summary, index: number): Html {
  return html`<nav class="card overview" aria-label="Scenarios"><ul>${scenarios.map(
    (scenario, i) =>
      html`<li><a href="#scenario-${index}-${i}" dir="auto">${titleOfScenario(scenario)}</a> <span>${sentence([verdict(scenario, isolate), exceptions(scenario, isolate)].filter(Boolean).join(' '))}</span></li>`,
  )}</ul></nav>`;
}

function renderScenario(scenario: ScenarioSummary, summary: Summary, numbers: Numbers, id: string): Html {
  const view = viewScenario(scenario, summary, { medium: pageMedium });
  const changes = (['base', 'earlier'] as const)
    .map((kind) => renderComparisonsHtml(kind, scenario, summary, numbers))
    .filter((found) => found !== null);
  const among = renderComparisonsHtml('reference', scenario, summary, numbers);
  // Tables of changes have a Δ of their own, from the base.
  const delta = among === null ? '' : view.delta;
  const legend = [view.conditions, delta, ...view.legend].filter(Boolean);
  const more = [...view.tuned, ...view.others].join(' ');
  return html`<section class="card scenario" id="scenario-${id}" data-scenario="${id}">
<h2 dir="auto" class="${summary.scenarios.length === 1 && 'visually-hidden'}">${view.title}</h2>
<p class="verdict">${sentence(view.verdict)}</p>
${more && html`<p class="more">${sentence(more)}</p>`}
${renderRanking(view, scenario, numbers)}
${among}${changes}
<p class="legend-line">${legend.map((line, i) => html`${i > 0 && html`<br>`}${sentence(line)}`)}</p>
${NO_SCRIPT}
<div class="charts" data-charts="${id}"></div>
${renderScenarioDetails(scenario, numbers)}
</section>`;
}
