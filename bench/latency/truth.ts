/** The server's log of a stretch of load: see server/server.go. */
export interface Served {
  firstMs: number;
  lastMs: number;
  answers: number;
  /** Answers to requests that were read late, and the time in which the server had no CPU. */
  late: number;
  stalledMs: number;
  /** Exact counts by microsecond, sorted. */
  counts: readonly (readonly [us: number, count: number])[];
}

/** Reads the server's log. */
export function readServed(log: string): Served[] {
  const found: (Omit<Served, 'counts'> & { counts: [number, number][] })[] = [];
  for (const line of log.split('\n')) {
    if (line.startsWith('served ')) {
      const [firstMs = 0, lastMs = 0, answers = 0, late = 0, stalledMs = 0] = line
        .split(' ')
        .slice(1)
        .map(Number);
      found.push({ firstMs, lastMs, answers, late, stalledMs, counts: [] });
    } else if (/^\d+:\d+/.test(line)) {
      const last = found.at(-1);
      for (const pair of line.split(' ')) {
        const [us = 0, count = 0] = pair.split(':').map(Number);
        last?.counts.push([us, count]);
      }
    }
  }
  return found;
}

/** The stretches of load that began within a time, as one. */
export function servedWithin(all: readonly Served[], fromMs: number, toMs: number): Served {
  const parts = all.filter(({ firstMs }) => firstMs >= fromMs && firstMs <= toMs);
  const sum = (of: (part: Served) => number) => parts.reduce((total, part) => total + of(part), 0);
  const counts = new Map<number, number>();
  for (const [us, count] of parts.flatMap((part) => part.counts))
    counts.set(us, (counts.get(us) ?? 0) + count);
  return {
    firstMs: Math.min(...parts.map((part) => part.firstMs)),
    lastMs: Math.max(...parts.map((part) => part.lastMs)),
    answers: sum((part) => part.answers),
    late: sum((part) => part.late),
    stalledMs: sum((part) => part.stalledMs),
    counts: [...counts].sort(([a], [b]) => a - b),
  };
}

/** Percentile in ms by k6's definition: the sample at index p·(n−1), interpolated. */
export function truePercentile({ counts }: Pick<Served, 'counts'>, p: number): number {
  const n = counts.reduce((sum, [, count]) => sum + count, 0);
  const index = (p / 100) * (n - 1);
  const at = (wanted: number) => {
    let before = 0;
    for (const [us, count] of counts) {
      before += count;
      // Microseconds are cut off, so half of one is added.
      if (wanted < before) return (us + 0.5) / 1000;
    }
    throw new RangeError(`no sample ${wanted} of ${n}`);
  };
  const low = at(Math.floor(index));
  return low + (at(Math.ceil(index)) - low) * (index - Math.floor(index));
}
