import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readMachineError, UserError } from '../../errors.ts';
import type { K6Summary } from '../../run/load/k6.ts';

/** The folder in which `report` looks for what the pods printed. */
const PODS = 'pods';

/** A pod whose load has ended. */
export interface Pod {
  /** The file of its log. */
  name: string;
  log: string;
  summary: K6Summary;
}

/** Pods of an ejected load, by name. Errors: UserError, there is none, or a log cannot be read or has no summary. */
export async function readPods(load: string): Promise<Pod[]> {
  const folder = join(load, PODS);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.log')).sort();
  if (names.length === 0) {
    throw new UserError('no logs of pods found', {
      ...{ where: { name: folder }, allowed: 'a file NAME.log for each pod' },
      hint: 'README.md beside it has the command: kubectl logs POD >pods/POD.log',
    });
  }
  return Promise.all(
    names.map(async (name) => {
      const log = await readLog(join(folder, name));
      return { name, log, summary: readSummary(name, log) };
    }),
  );
}

async function readLog(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw (
      readMachineError(error) ??
      new UserError('the log of a pod cannot be read', {
        ...{ where: { name: file }, found: (error as Error).message },
        allowed: 'a file with the log of one pod',
        hint: 'save it again: kubectl logs POD >pods/POD.log',
      })
    );
  }
}

/** Null: it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A moment or a time span, ms: up to the last moment that a Date knows. */
const milliseconds = z.number().min(0).max(8.64e15);
/** k6 prints values that are no numbers as null. */
const values = z.record(z.string(), z.number().nullable());

const Summary = z.object({
  ...{ durationMs: milliseconds, endedMs: milliseconds },
  endpoints: z.array(z.string()),
  segment: z.string().nullish(),
  baseUrl: z.string().nullish(),
  metrics: z.record(z.string(), values),
  script: z
    .object({
      checks: z.array(
        z.object({ name: z.string(), group: z.string(), passes: z.number(), fails: z.number() }),
      ),
      metrics: z.array(
        z.object({
          ...{ name: z.string(), custom: z.boolean(), contains: z.string(), values },
          type: z.enum(['trend', 'rate', 'counter', 'gauge']),
        }),
      ),
    })
    .nullish(),
});

/** A line of k6, which may be at the end or in the middle of its summary: the two come from different streams. */
const LOGGED = /time="[^"]*" level=.*(\n|$)/g;

function readSummary(name: string, log: string): K6Summary {
  const at = log.lastIndexOf('{"durationMs":');
  const [text = ''] = at < 0 ? [] : log.slice(at).replaceAll(LOGGED, '').split('\n');
  const found = Summary.safeParse(parseJson(text));
  if (found.success) return found.data as unknown as K6Summary;
  throw new UserError('the log of a pod has no summary', {
    ...{ where: { name }, found: lastLine(log), allowed: 'the whole log of a pod that has ended' },
  });
}

const lastLine = (log: string) => log.trim().split('\n').at(-1)?.slice(0, 200) || 'nothing';
