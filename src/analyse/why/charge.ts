import type { Frame, Profile } from '../../results/results.ts';
import { type FrameGroup, groupOf, isFileCode, keyOf } from './frame-groups.ts';

/** Autoloading as a whole: which function is the first to use a class means little. */
export const AUTOLOADING = 'autoloading';

/** Samples of one fresh start, grouped in two ways: each way counts each sample once. */
export interface Charged {
  samples: number;
  /** By function: in it, with what it calls that is built into PHP. */
  self: Map<string, number>;
  /** Likewise with all that it calls; a function that calls itself counts once. */
  inclusive: Map<string, number>;
  /** By the nearest own function on the stack; what has none stays with its function, and autoloading is one entry. */
  charged: Map<string, number>;
  /** The parts of `charged`, by the function that the samples are in; `cellOf` makes the keys. */
  cells: Map<string, number>;
}

/** Time of a function as far as it is charged to another, or to itself. */
const cellOf = (charge: string, holder: string): string => `${charge}\n${holder}`;
export const readCell = (cell: string): [charge: string, holder: string] =>
  cell.split('\n') as [string, string];

/** A call on the stack, and what is known of it from its callers. */
interface Call {
  parent: Call | null;
  group: FrameGroup;
  /** Function that it counts for. */
  holder: string;
  /** Function that is charged for it. */
  charge: string;
  /** Whether `charge` is of an own function, which also answers for what it calls. */
  answers: boolean;
  /** Nothing but included files up to here. */
  isEntry: boolean;
  /** All samples in it and below it. */
  total: number;
}

export function chargeSamples({ frames, tree }: Pick<Profile, 'frames' | 'tree'>): Charged {
  const known = frames.map((frame) => ({ frame, key: keyOf(frame), group: groupOf(frame) }));
  const calls: Call[] = [];
  const found: Charged = {
    samples: 0,
    self: new Map(),
    inclusive: new Map(),
    charged: new Map(),
    cells: new Map(),
  };
  for (const [caller, index, samples] of tree) {
    const call = makeCall(calls[caller] ?? null, known[index] ?? UNKNOWN);
    calls.push({ ...call, total: samples });
    found.samples += samples;
    add(found.self, call.holder, samples);
    add(found.charged, call.charge, samples);
    add(found.cells, cellOf(call.charge, call.holder), samples);
  }
  // Callers stand before what they call.
  for (const [i, [caller]] of [...tree.entries()].reverse()) {
    const [call, above] = [calls[i], calls[caller]];
    if (call && above) above.total += call.total;
  }
  for (const call of calls) {
    if (!isBelow(call, call.holder)) add(found.inclusive, call.holder, call.total);
  }
  return found;
}

const UNKNOWN: { frame: Frame; key: string; group: FrameGroup } = {
  frame: { name: '?', file: null, line: null },
  key: keyOf({ name: '?', file: null }),
  group: 'php',
};

function makeCall(parent: Call | null, { frame, key, group }: typeof UNKNOWN): Omit<Call, 'total'> {
  const isEntry = isFileCode(frame) && (parent === null || parent.isEntry);
  const holder = group === 'php' && parent ? parent.holder : key;
  const place = { parent, group, holder, isEntry };
  if (group === 'autoload' || parent?.charge === AUTOLOADING)
    return { ...place, charge: AUTOLOADING, answers: true };
  // The file that is asked for calls everything, so it answers only for itself.
  if (group === 'own') return { ...place, charge: key, answers: !isEntry };
  return parent?.answers
    ? { ...place, charge: parent.charge, answers: true }
    : { ...place, charge: holder, answers: false };
}

function isBelow({ parent }: Call, holder: string): boolean {
  for (let call = parent; call; call = call.parent) if (call.holder === holder) return true;
  return false;
}

function add(counts: Map<string, number>, key: string, samples: number): void {
  counts.set(key, (counts.get(key) ?? 0) + samples);
}
