import type { Profile } from '../../results/results.ts';
import { collectFrames } from './call-samples.ts';

/** Profiles in the formats of other tools. Names are an app's own, and so untrusted. */

/** Separators of frames and lines in a collapsed stack, and other unprintable characters. */
const UNFIT = /[;\p{C}]/gu;

/** Collapsed stacks, as flame graph tools read them: `index.php;App\Cart::total 41`. */
export function formatFolded({ frames, tree }: Pick<Profile, 'frames' | 'tree'>): string {
  const names = frames.map(({ name }) => name.replaceAll(UNFIT, '_') || '_');
  return stacksOf(tree)
    .map(({ stack, samples }) => `${stack.map((index) => names[index]).join(';')} ${samples}\n`)
    .join('');
}

/** All fresh starts of a variant, as https://www.speedscope.app/file-format-schema.json describes it. */
export function formatSpeedscope(name: string, profiles: readonly Profile[]): string {
  const { frames, indexOf } = collectFrames();
  const sampled = profiles.map((profile) => {
    const own = profile.frames.map(indexOf);
    const stacks = stacksOf(profile.tree);
    return {
      type: 'sampled',
      name: `start ${profile.instance + 1}`,
      unit: 'none',
      startValue: 0,
      endValue: stacks.reduce((sum, { samples }) => sum + samples, 0),
      samples: stacks.map(({ stack }) => stack.map((index) => own[index])),
      weights: stacks.map(({ samples }) => samples),
    };
  });
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter: 'php-runtime-bench',
    activeProfileIndex: 0,
    shared: {
      frames: frames.map(({ name, file, line }) => ({
        name,
        ...(file !== null && { file }),
        ...(line !== null && { line }),
      })),
    },
    profiles: sampled,
  });
}

/** Each call that was seen by itself, from the outermost on. */
function stacksOf(tree: Profile['tree']): { stack: number[]; samples: number }[] {
  const stacks: number[][] = [];
  return tree.flatMap(([caller, frame, samples]) => {
    const stack = [...(stacks[caller] ?? []), frame];
    stacks.push(stack);
    return samples > 0 ? [{ stack, samples }] : [];
  });
}
