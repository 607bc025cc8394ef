import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Profile } from '../../results/results.ts';
import { formatFolded, formatSpeedscope } from './profile-files.ts';

/** src/lib/file-format-spec.ts of speedscope, as far as it is about sampled profiles. */
const index = z.int().nonnegative();
const File = z.strictObject({
  $schema: z.literal('https://www.speedscope.app/file-format-schema.json'),
  shared: z.strictObject({
    frames: z.array(
      z.strictObject({
        name: z.string(),
        file: z.string().optional(),
        line: z.number().optional(),
        col: z.number().optional(),
      }),
    ),
  }),
  profiles: z.array(
    z.strictObject({
      type: z.literal('sampled'),
      name: z.string(),
      unit: z.enum(['none', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'bytes']),
      startValue: z.number(),
      endValue: z.number(),
      samples: z.array(z.array(index)),
      weights: z.array(z.number()),
    }),
  ),
  name: z.string().optional(),
  activeProfileIndex: z.number().optional(),
  exporter: z.string().optional(),
});

const profile = (instance: number, names: readonly string[]): Profile => ({
  profile: true,
  ...{ variant: 'apache@8.4', scenario: 'paths', instance, requests: 10, failures: 0 },
  ...{ cpuUs: 1000, periodUs: 100, samples: 10 },
  frames: names.map((name) => ({ name, file: 'src/a.php', line: 3 })),
  tree: [
    [-1, 0, 0],
    [0, 1, 7],
    [1, 2, 3],
  ],
});

describe('collapsed stacks', () => {
  it('have a line for each call that was seen by itself', () => {
    expect(formatFolded(profile(0, ['index.php', 'run', 'Cart::total']))).toBe(
      'index.php;run 7\nindex.php;run;Cart::total 3\n',
    );
  });

  it('keep hostile names in one frame of one line', () => {
    const folded = formatFolded(profile(0, ['a;b', 'c\nd 5\u001b[31m', '<script>😀']));
    expect(folded).toBe('a_b;c_d 5_[31m 7\na_b;c_d 5_[31m;<script>😀 3\n');
  });
});

describe('the file for speedscope', () => {
  it('has a profile for each start, over shared frames, as its schema says', () => {
    const text = formatSpeedscope('apache', [
      profile(0, ['index.php', 'run', 'Cart::total']),
      profile(1, ['index.php', 'run', 'Cart::other;\n']),
    ]);
    const read = JSON.parse(text);
    expect(read.shared.frames).toHaveLength(4);
    expect(read.profiles[1]).toMatchObject({
      samples: [
        [0, 1],
        [0, 1, 3],
      ],
      weights: [7, 3],
      endValue: 10,
    });
    expect(File.safeParse(read).error).toBeUndefined();
  });
});
