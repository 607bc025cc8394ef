import type { HistoryRecord } from './history-record.ts';

/** Parts of a request and of the app's settings that scenario and load do not name, as far as they are known. */
export type AskedParts = NonNullable<HistoryRecord['asked']>;

export interface AskedRecord extends HistoryRecord {
  /** All of it as one text, to compare. */
  request: string;
  /** The parts in which records of the same variant, scenario and load differ. */
  apart: AskedParts;
}

const PARTS = ['app', 'journey', 'host', 'headers', 'settings'] as const satisfies (keyof AskedParts)[];

/**
 * Completes what older versions did not note. Such a record counts as asked like the first of its variant, scenario
 * and load that has noted it. One that agrees in all that the record has noted comes first. If there is none, the first of its scenario and load counts. So an update of this tool begins no new
 * trend, and a variant that ended before it is still compared with the others. The order stays.
 */
export function completeAsked(records: readonly HistoryRecord[]): AskedRecord[] {
  const loadOf = ({ scenario, load }: HistoryRecord) => JSON.stringify([scenario, load]);
  const keyOf = (record: HistoryRecord) => JSON.stringify([record.variant, loadOf(record)]);
  const describe = (of: (record: HistoryRecord) => string) =>
    new Map([...Map.groupBy(records, of)].map(([key, group]) => [key, describeGroup(group)]));
  const [ofVariants, ofLoads] = [describe(keyOf), describe(loadOf)];
  return records.map((record) => {
    const { first, like, differing } = ofVariants.get(keyOf(record)) as ReturnType<typeof describeGroup>;
    const asked = { ...ofLoads.get(loadOf(record))?.first, ...first, ...like(record.asked), ...record.asked };
    return { ...record, request: JSON.stringify(asked), apart: pick(differing, (part) => asked[part]) };
  });
}

function describeGroup(group: readonly HistoryRecord[]) {
  const sorted = group.toSorted((a, b) => Date.parse(a.date) - Date.parse(b.date));
  const noted = (part: keyof AskedParts) => sorted.flatMap(({ asked }) => asked?.[part] ?? []);
  const first = pick(PARTS, (part) => noted(part)[0]);
  /** The first that has noted all of these parts and more, as several apps may differ in what was always noted. */
  const like = (parts: AskedParts = {}) =>
    sorted.find(
      ({ asked = {} }) =>
        Object.keys(asked).length > Object.keys(parts).length &&
        PARTS.every((part) => parts[part] === undefined || parts[part] === asked[part]),
    )?.asked;
  return { first, like, differing: PARTS.filter((part) => new Set(noted(part)).size > 1) };
}

function pick(
  parts: readonly (keyof AskedParts)[],
  of: (part: keyof AskedParts) => string | undefined,
): AskedParts {
  const known = parts.map((part) => [part, of(part)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known);
}
