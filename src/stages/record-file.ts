import { compare } from '../analyse/judge/compare.ts';
import type { Summary } from '../analyse/summary.ts';
import { compareEarlier } from '../analyse/warn/earlier.ts';
import type { Config } from '../config/types.ts';
import { describeHost } from '../engine/machine/machine.ts';
import type { Host } from '../host.ts';
import { renderMarkdown } from '../report/format/markdown.ts';
import { streamHtml } from '../report/html/render.ts';
import type { Elsewhere, Results, Warning } from '../results/results.ts';
import { planOrigin, warnOfOrigin } from '../run/elsewhere/planned-origin.ts';
import { assembleResults, type RunRecord } from '../run/record.ts';
import { markSettings } from '../run/settings.ts';
import { type Output, openOutput } from '../store/output.ts';
import { toJson } from '../store/to-json.ts';
import type { Desk } from './desk.ts';
import type { Ground, Prepared } from './prepare-stage.ts';

/** The output folder of a run, and the record of what is measured, from which it is filled. */
export interface RecordFile {
  output: Output;
  record: RunRecord;
  /** Writes results.json as it would be by now. */
  save(): Promise<void>;
  /** Ends the folder once. True: nothing was measured, and the results of an earlier run are back. */
  end(complete: boolean): Promise<boolean>;
}

export async function openRecord(
  desk: Desk,
  { engine, found, head, config, compose }: Prepared,
  ground: Ground,
): Promise<RecordFile> {
  const output = await openOutput(config.out);
  const end = makeEnd(output, desk.caller.say);
  desk.cleanUp.later('finish the output folder', () => end(false));
  const { elsewhere, warnings } = originOf(config);
  const record: RunRecord = {
    beginning: {
      tool: { name: 'php-runtime-bench', version: desk.caller.version, k6: ground.k6 },
      ...{ runId: desk.run, command: desk.caller.command, startedMs: desk.startedMs, beganMs: desk.beganMs },
      ...{ waitedMs: ground.waitedMs, config, found, head, host: describeHost(ground.machine, engine) },
      settings: markSettings(config, compose?.services ?? {}),
    },
    plan: { ...ground.planned, warnings: [...ground.planned.warnings, ...warnings] },
    ...(elsewhere && { elsewhere }),
    ...{ built: new Map(), outcomes: new Map(), checked: [] },
    measured: { measurements: [], duets: [], searches: [], profiles: [], counts: [] },
    // The results that a killed run leaves on the disk contain this.
    stopped: 'an error or SIGKILL',
  };
  const save = () => output.write('results.json', toJson(resultsOf(record, desk.host)));
  await save();
  return { output, record, save, end };
}

/** The origin of the load. The results of a run killed in the load need it, too. */
function originOf({ loadFrom }: Pick<Config, 'loadFrom'>): { elsewhere?: Elsewhere; warnings: Warning[] } {
  if (!loadFrom) return { warnings: [] };
  const elsewhere = planOrigin(loadFrom);
  return { elsewhere, warnings: [warnOfOrigin(elsewhere)] };
}

function makeEnd(output: Output, say: (line: string) => void): RecordFile['end'] {
  let ended = false;
  return async (complete) => {
    if (ended) return false;
    ended = true;
    const earlier = await output.end(complete);
    const isBack = earlier === output.folder;
    if (isBack) say(`nothing was measured: ${earlier} keeps the results of the earlier run`);
    else if (earlier) say(`the results of the earlier run are in ${earlier}`);
    return isBack;
  };
}

/** The record's results so far, compared with each other and with an earlier run. */
export function resultsOf(record: RunRecord, host: Host): Results {
  const results = assembleResults(record, host.elapsed());
  const earlier = record.beginning.found?.earlier;
  const comparisons = earlier ? compareEarlier(results, earlier) : [];
  return { ...results, comparisons: compare({ ...results, comparisons }) };
}

/** Everything that is derived from the measurements; `report` makes the same again from results.json. */
export async function writeReports(
  output: Pick<Output, 'write'>,
  results: Results,
  summary: Summary,
): Promise<void> {
  await output.write('results.json', toJson(results));
  await output.write('report.md', renderMarkdown(summary));
  await output.write('report.html', streamHtml([{ summary, measurements: results.measurements }]));
}
