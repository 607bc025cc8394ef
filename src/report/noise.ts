import type { Noise, NoiseFound } from '../analyse/judge/noise-found.ts';
import type { GuardCounts } from '../analyse/summary.ts';
import { cleanLine, plural } from '../text/plain.ts';
import { describeVerdict, nounOf } from './words/changes.ts';
import { atMost, duration, NOTHING } from './words/numbers.ts';

/** Results of an A/A run, for the terminal. */
export function renderNoise(found: NoiseFound): string {
  const { noise, prospects } = found;
  const head = `${cleanLine(found.variant)} against itself: ${found.load}, ${plural(found.instances, 'fresh start')} × ${plural(found.blocks, 'block')}, ${duration(found.seconds)}, seed ${found.seed}`;
  if (noise.length === 0) return `\n${head}\nNothing was measured side by side: see the messages above.`;
  const width = Math.max(...noise.map(({ metric }) => nounOf(metric).length)) + 2;
  const name = ({ metric }: Noise) => nounOf(metric).padEnd(width);
  const cells = (texts: readonly string[]) => texts.map((text) => text.padStart(16)).join('');
  return [
    `\n${head}`,
    `\n${' '.repeat(width)}${cells(['between starts', 'between blocks'])}   verdict`,
    ...noise.map(
      (of) =>
        `${name(of)}${cells([sd(of.start), of.slice === null ? NOTHING : sd(of.slice)])}   ${describeVerdict(of.comparison)}`,
    ),
    'SD of the ratio of two starts, and of two slices of one block; percentiles are pooled over the blocks of a start.',
    ...falseAlarms(noise),
    '\nSmallest change that a comparison here finds (95 % power, 99 % interval), if the machine stays as it was:',
    `${' '.repeat(width)}${cells(prospects.map(({ minutes }) => `${minutes} min`))}`,
    ...noise.map((of, i) => `${name(of)}${cells(prospects.map(({ findable }) => share(findable[i])))}`),
    `${'starts × blocks'.padEnd(width)}${cells(prospects.map(({ effort }) => (effort ? `${effort.instances} × ${effort.blocks}` : 'too short')))}`,
    `\n${quieter(found.guards)}`,
  ].join('\n');
}

function sd(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function share(value: number | null | undefined): string {
  return value == null ? NOTHING : atMost(value);
}

function falseAlarms(noise: readonly Noise[]): string[] {
  const wrong = noise.filter(({ comparison: { verdict } }) => verdict === 'faster' || verdict === 'slower');
  if (wrong.length === 0) return [];
  const names = wrong.map(({ metric }) => nounOf(metric)).join(', ');
  return [
    `A difference was found in ${names} where there is none. By chance that happens in up to two of a hundred; if it comes again, do not trust this machine.`,
  ];
}

/** Disturbances, and remedies for them. */
function quieter(guards: GuardCounts | null): string {
  if (!guards || guards.disturbed === 0) {
    return 'No slice was disturbed. More starts detect smaller changes. So does a machine with separate cores for servers, k6 and the system.';
  }
  const of = (n: number) => `${n} of ${plural(guards.slices, 'slice')}`;
  return [
    'To make it quieter:',
    ...(guards.foreignCpu > 0
      ? [`- other programs used CPU in ${of(guards.foreignCpu)}: stop what else runs here`]
      : []),
    ...(guards.steal > 0
      ? [`- the hypervisor gave time to others in ${of(guards.steal)}: use a larger or dedicated machine`]
      : []),
    ...(guards.stall > 0
      ? [
          `- the machine stood still in ${of(guards.stall)}: look for suspended or overcommitted virtual machines`,
        ]
      : []),
  ].join('\n');
}
