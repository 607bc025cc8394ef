import type { Frame, Profile } from '../../results/results.ts';
import { ENTRY, groupOf, isFileCode } from './frame-groups.ts';

/**
 * Two servers reach the same app in different ways: through an index.php, or through their own loop and a handler.
 * Frames in front of the app that only one of them has become one function. The calls of the app itself then match.
 */
export function alignEntries(
  ones: readonly Profile[],
  others: readonly Profile[],
): [ones: Profile[], others: Profile[]] {
  const [known, knownToOthers] = [filesOf(ones), filesOf(others)];
  return [ones.map((one) => align(one, knownToOthers)), others.map((other) => align(other, known))];
}

function filesOf(profiles: readonly Profile[]): ReadonlySet<string | null> {
  return new Set(profiles.flatMap(({ frames }) => frames.map(({ file }) => file)));
}

function align(profile: Profile, known: ReadonlySet<string | null>): Profile {
  const frames = [...profile.frames, ENTRY];
  const entry = profile.frames.length;
  /** By call: where it went, whether it and all above only lead to the app, and whether the app has begun. */
  const places: { at: number; leads: boolean; inApp: boolean }[] = [];
  const tree: Profile['tree'] = [];
  const merged = new Map<string, number>();
  const put = (caller: number, frame: number, samples: number): number => {
    const key = `${caller} ${frame}`;
    const at = merged.get(key) ?? tree.push([caller, frame, 0]) - 1;
    merged.set(key, at);
    (tree[at] as [number, number, number])[2] += samples;
    return at;
  };
  for (const [caller, index, samples] of profile.tree) {
    const above = places[caller] ?? { at: -1, leads: true, inApp: false };
    const frame = profile.frames[index] as Frame;
    const isEntry = above.leads && isOwnWay(frame, known, above.inApp);
    // The server's own frames in front of one another are one.
    const isSame = isEntry && tree[above.at]?.[1] === entry;
    if (isSame) (tree[above.at] as [number, number, number])[2] += samples;
    const at = isSame ? above.at : put(above.at, isEntry ? entry : index, samples);
    const inApp = above.inApp || groupOf(frame) !== 'outside';
    const isOnTheWay = isFileCode(frame) || groupOf(frame) === 'outside';
    places.push({ at, leads: above.leads && (isEntry || isOnTheWay), inApp });
  }
  return { ...profile, frames, tree };
}

/**
 * Whether a frame of a file that the other server never has on its stack only leads to the app. It may be code of the
 * server, an included file, or the closure that the server calls.
 */
function isOwnWay(frame: Frame, known: ReadonlySet<string | null>, inApp: boolean): boolean {
  const group = groupOf(frame);
  if (known.has(frame.file) || group === 'autoload' || group === 'php') return false;
  return isFileCode(frame) || (!inApp && (group === 'outside' || frame.name.endsWith('{closure}')));
}
