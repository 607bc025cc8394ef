/** A counter of CPU, read now and then. */
interface CpuReading {
  atMs: number;
  usedUs: number;
}

interface Span {
  fromMs: number;
  toMs: number;
}

/**
 * Which share of a service's CPU each of those that take turns has caused. Least squares relate what it used between
 * readings to the time that each of them had. Readings may be as far apart as turns are long. Null if they are too few,
 * or cannot separate one from the other. Pure.
 */
export function shareTurns(
  readings: readonly CpuReading[],
  turns: readonly (readonly Span[])[],
): number[] | null {
  const n = turns.length;
  const rows = readings.slice(1).flatMap((reading, i) => {
    const before = readings[i] as CpuReading;
    const times = turns.map((own) => overlapMs(own, before.atMs, reading.atMs));
    return times.some((ms) => ms > 0) ? [{ times, usedUs: reading.usedUs - before.usedUs }] : [];
  });
  if (rows.length < n + 2) return null;
  const matrix = turns.map((_, a) => [
    ...turns.map((_, b) => rows.reduce((sum, { times }) => sum + (times[a] ?? 0) * (times[b] ?? 0), 0)),
    rows.reduce((sum, { times, usedUs }) => sum + (times[a] ?? 0) * usedUs, 0),
  ]);
  const rates = solve(matrix);
  if (rates === null) return null;
  const used = rates.map((rate, i) => {
    const ms = (turns[i] as readonly Span[]).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    return Math.max(0, rate) * ms;
  });
  const whole = used.reduce((sum, us) => sum + us, 0);
  return whole > 0 ? used.map((us) => us / whole) : null;
}

function overlapMs(spans: readonly Span[], fromMs: number, toMs: number): number {
  return spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(toMs, span.toMs) - Math.max(fromMs, span.fromMs)),
    0,
  );
}

/** Gauss with the largest pivot; null where the equations do not decide it. Each row ends with its right side. */
function solve(rows: number[][]): number[] | null {
  const n = rows.length;
  const scale = Math.max(...rows.map((row, i) => Math.abs(row[i] ?? 0)));
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let row = column + 1; row < n; row++) {
      if (Math.abs(at(row, column)) > Math.abs(at(pivot, column))) pivot = row;
    }
    if (Math.abs(at(pivot, column)) <= 1e-6 * scale) return null;
    [rows[column], rows[pivot]] = [rows[pivot] as number[], rows[column] as number[]];
    for (let row = 0; row < n; row++) {
      if (row === column) continue;
      const factor = at(row, column) / at(column, column);
      rows[row] = (rows[row] as number[]).map((value, i) => value - factor * at(column, i));
    }
  }
  return rows.map((_, i) => at(i, n) / at(i, i));
}
