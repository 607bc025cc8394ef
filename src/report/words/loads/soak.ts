import type { MeasuredSlope, Row, ScenarioSummary, Soak } from '../../../analyse/summary.ts';
import { byteUnit, digits, duration, NOTHING, withHalf } from '../numbers.ts';

export function hasSoak({ rows, bases }: Pick<ScenarioSummary, 'rows' | 'bases'>): boolean {
  return [...rows, ...bases].some(({ soak }) => soak !== null);
}

/** `+20.0 ± 0.3 KiB leaks`, `0 ± 12 bytes`: growth of memory with every thousand requests. */
export function growth(soak: Soak | null): string {
  if (!soak) return NOTHING;
  const { value, half } = soak.bytesPerThousand;
  const { unit, size } = byteUnit(Math.max(Math.abs(value), half));
  return `${signed({ value: value / size, half: half / size })} ${unit}${soak.leaks ? ' leaks' : ''}`;
}

/** `−3.1 ± 0.4 %`: change of RPS from start to end. */
export function decay(soak: Soak | null): string {
  if (!soak?.decay) return NOTHING;
  const { value, half } = soak.decay;
  return `${signed({ value: 100 * value, half: 100 * half })} %`;
}

function signed({ value, half }: MeasuredSlope): string {
  const shown = withHalf({ value: Math.abs(value), half });
  const isNothing = !/[1-9]/.test(shown.value);
  const sign = isNothing ? '' : value > 0 ? '+' : '−';
  return `${sign}${half === 0 ? (value === 0 ? '0' : digits(Math.abs(value))) : `${shown.value} ± ${shown.half}`}`;
}

/** Meaning of the columns; empty if there are none. */
export function soakLegend({ rows, bases }: ScenarioSummary): string {
  const found = [...rows, ...bases].flatMap(({ soak }: Row) => (soak ? [soak] : []));
  const [first] = found;
  if (!first) return '';
  const upTo = found.every(({ seconds }) => seconds === first.seconds) ? '' : 'up to ';
  const seconds = Math.max(...found.map((soak) => soak.seconds));
  const words = [
    `memory per 1,000 requests: growth under ${upTo}${duration(seconds)} of steady load, after the first quarter of each start, with its 99 % interval; 'leaks' if the whole interval is above zero`,
  ];
  if (found.some((soak) => soak.decay !== null)) {
    words.push(
      'RPS, start to end: by how much its rate changed, on a straight line through its steps, with its 99 % interval',
    );
  }
  return words.join('; ');
}
