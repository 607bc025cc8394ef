import { CUT_FILE, CUT_STACK } from '../../analyse/why/frame-groups.ts';
import type { Frame, Profile } from '../../results/results.ts';

/** Limits of one profile. */
export const PROFILE_LIMITS = { nodes: 5000, frames: 2000, name: 200, depth: 250 } as const;
/** Limits of all profiles of a run together: the job that comments reads results.json up to 32 MiB. */
const ALL_PROFILES = { nodes: 150_000, frames: 60_000 } as const;

/** How much one profile may hold, if there are so many. */
export function profileLimitsOf(profiles: number): { nodes: number; frames: number } {
  const share = (all: number, most: number) => Math.max(10, Math.min(most, Math.floor(all / profiles)));
  return {
    nodes: share(ALL_PROFILES.nodes, PROFILE_LIMITS.nodes),
    frames: share(ALL_PROFILES.frames, PROFILE_LIMITS.frames),
  };
}

/** A function as runtimes/_profile/files/profile.php names it: class, function, file, line. */
type Raw = [string | null, string | null, string | null, number | null];

interface Node {
  frame: number;
  self: number;
  /** Ticks of the function and of all that it called. */
  total: number;
  calls: Map<number, Node>;
}

/** The folder of this tool's own frames, which are no part of the app. */
const OWN = '/usr/local/share/php-runtime-bench-pass/';
const isOwn = ({ file }: Frame): boolean => file?.startsWith(OWN) ?? false;

/** A list of different frames, and the index of each. */
export function collectFrames(): { frames: Frame[]; indexOf: (frame: Frame) => number } {
  const frames: Frame[] = [];
  const indices = new Map<string, number>();
  const indexOf = (frame: Frame) => {
    const key = JSON.stringify(frame);
    const found = indices.get(key) ?? frames.push(frame) - 1;
    indices.set(key, found);
    return found;
  };
  return { frames, indexOf };
}

/**
 * Pure: the files of profile.php as frames and a call tree, bounded. Frames that nobody has named are left out of their
 * stacks. The rarest calls beyond the limits count for their caller. No call is too rare by itself: one sample is a smaller
 * share of a start with more samples, so both versions would differ.
 */
export function readSamples(
  samples: string,
  names: string,
  limits: { nodes: number; frames: number },
): Pick<Profile, 'samples' | 'frames' | 'tree'> {
  const known = readNames(names);
  const { frames, indexOf } = collectFrames();
  const root: Node = { frame: -1, self: 0, total: 0, calls: new Map() };
  const lines = samples.split('\n');
  // The text after the last line break is incomplete.
  const whole = lines.slice(0, -1);
  const perTick = findPeriodsPerTick(whole);
  for (const line of whole) {
    const all = line.split(' ').flatMap((id) => known.get(id) ?? []);
    // The app of a server that keeps it in memory is called through this tool's own function.
    const stack = cutStack(all.filter((frame) => !isOwn(frame)));
    const innermost = all.at(-1);
    if (innermost === undefined || isOwn(innermost)) continue;
    const weight = weighSample(line, perTick);
    let node = root;
    node.total += weight;
    for (const frame of stack) {
      const index = indexOf(frame);
      const next = node.calls.get(index) ?? { frame: index, self: 0, total: 0, calls: new Map() };
      node.calls.set(index, next);
      next.total += weight;
      node = next;
    }
    node.self += weight;
  }
  return bound(root, frames, limits);
}

/** The innermost calls, below a frame for those that are missing. */
function cutStack(stack: readonly Frame[]): readonly Frame[] {
  const calls = stack.filter(({ file }) => file !== CUT_FILE);
  if (calls.length === stack.length && calls.length <= PROFILE_LIMITS.depth) return calls;
  return [CUT_STACK, ...calls.slice(1 - PROFILE_LIMITS.depth)];
}

/** Periods since the sample before, or since the sampler was started (`-`). */
const PERIODS = /^([*-])(\d{1,9}) /;
/** At 250 ticks a second, where too few samples show another number. */
const USUAL_PERIODS = 200;
const ENOUGH = 20;
/** A tick is at most 10 ms. Longer gaps were calls, however many of them there are. */
const MOST_PERIODS = 550;
/** Share of the gaps that are shorter than a tick is taken to be. Calls in C make up to three quarters of them longer. */
const SHORT_GAPS = 0.25;

/**
 * A tick of the machine gives one sample, but none while a function in C works: the sample behind it represents all of its
 * ticks. A tick has the periods of a short gap between samples: a version with longer calls in C has the same ticks. It has
 * at least as many as a first sample may have behind it: samples of short requests on a busy machine lie close together.
 */
function findPeriodsPerTick(lines: readonly string[]): number {
  const found = lines.map((line) => PERIODS.exec(line));
  const at = (kind: string, share: number, most = Number.POSITIVE_INFINITY): number => {
    const all = found.flatMap((match) => (match?.[1] === kind ? [Number(match[2])] : []));
    const periods = all.filter((one) => one <= most);
    periods.sort((a, b) => a - b);
    return periods.length < ENOUGH ? 0 : (periods[Math.floor(share * (periods.length - 1))] as number);
  };
  const [between, first] = [at('*', SHORT_GAPS, MOST_PERIODS), Math.min(USUAL_PERIODS, at('-', 0.9))];
  return Math.max(between, first) || USUAL_PERIODS;
}

/** In ticks. No function takes more than a request may, so text that claims more is not believed. */
function weighSample(line: string, perTick: number): number {
  const periods = Number(PERIODS.exec(line)?.[2] ?? 0);
  return Math.max(1, Math.min(MOST_TICKS, Math.round(periods / perTick)));
}
const MOST_TICKS = 10_000;

function readNames(names: string): Map<string, Frame> {
  const known = new Map<string, Frame>();
  for (const line of names.split('\n')) {
    const id = line.slice(0, 8);
    if (known.has(id)) continue;
    const raw = parseRaw(line.slice(9));
    if (raw) known.set(id, frameOf(raw));
  }
  return known;
}

/** Untrusted: an app can write into the file, too. */
function parseRaw(text: string): Raw | null {
  try {
    const raw: unknown = JSON.parse(text);
    if (!Array.isArray(raw) || raw.length !== 4) return null;
    const [type, name, file, line] = raw;
    const isText = (value: unknown) => value === null || typeof value === 'string';
    if (![type, name, file].every(isText)) return null;
    return [type, name, file, Number.isSafeInteger(line) && line > 0 ? line : null];
  } catch {
    return null;
  }
}

function frameOf([type, name, file, line]: Raw): Frame {
  const path = file === null ? null : file.replace(/^\/app\//, '').slice(0, PROFILE_LIMITS.name);
  const called = name === null ? (path ?? '') : nameOf(type, name);
  return { name: called.slice(0, PROFILE_LIMITS.name), file: path, line };
}

/**
 * `App\Cart::total`. Numbers of lines leave the names of closures and anonymous classes, as they differ between commits
 * where nothing of the function does: `{closure:App\Cart::total():41}` is `App\Cart::total::{closure}`.
 */
function nameOf(type: string | null, name: string): string {
  const ofClass = type === null ? '' : `${type.split('\0')[0]}::`;
  if (!name.startsWith('{closure')) return `${ofClass}${name.replace(OLD_CLOSURE, '{closure}')}`;
  let within = name.replaceAll(ANONYMOUS, '@anonymous');
  let depth = 0;
  for (let found = CLOSURE.exec(within); found; found = CLOSURE.exec(within)) {
    within = found[1] as string;
    depth++;
  }
  if (depth === 0) return `${ofClass}{closure}`;
  const inner = '::{closure}'.repeat(depth);
  // Outside of functions it is named by its file.
  return within.endsWith('()') ? within.slice(0, -2) + inner : inner.slice(2);
}

/** Before PHP 8.4 it is named by its namespace alone. */
const OLD_CLOSURE = /^.*\\\{closure\}$/s;
/** PHP 8.4 puts the name of the class into that of a closure: `App\Base@anonymous`, NUL, path, line, and a counter of the process. */
const ANONYMOUS = /@anonymous\0[^\0]*?:\d+\$[0-9a-f]+/g;
const CLOSURE = /^\{closure:(.*):\d+\}$/s;

/** The most frequent calls, their callers before them. */
function bound(
  root: Node,
  frames: readonly Frame[],
  limits: { nodes: number; frames: number },
): Pick<Profile, 'samples' | 'frames' | 'tree'> {
  const kept = keepCommon(root, limits);
  const used = new Map<number, number>();
  const tree: Profile['tree'] = [];
  const add = (node: Node, caller: number) => {
    const at = tree.length;
    const frame = used.get(node.frame) ?? used.size;
    used.set(node.frame, frame);
    // Those that are not kept are this call's own.
    const calls = [...node.calls.values()].filter((call) => kept.has(call));
    const rest = node.total - calls.reduce((sum, { total }) => sum + total, 0);
    tree.push([caller, frame, rest]);
    for (const call of calls) add(call, at);
  };
  for (const call of root.calls.values()) if (kept.has(call)) add(call, -1);
  return {
    samples: root.total,
    frames: [...used.keys()].map((index) => frames[index] as Frame),
    tree,
  };
}

/** A call is at most as frequent as its caller, so callers are kept with it. */
function keepCommon(root: Node, limits: { nodes: number; frames: number }): Set<Node> {
  const all: Node[] = [];
  const collect = (node: Node) => {
    for (const call of node.calls.values()) {
      all.push(call);
      collect(call);
    }
  };
  collect(root);
  // The sort is stable: of calls that are as frequent as each other the caller stays in front.
  all.sort((a, b) => b.total - a.total);
  const kept = new Set<Node>();
  const used = new Set<number>();
  for (const node of all) {
    if (kept.size === limits.nodes) break;
    if (!used.has(node.frame) && used.size === limits.frames) break;
    used.add(node.frame);
    kept.add(node);
  }
  return kept;
}
