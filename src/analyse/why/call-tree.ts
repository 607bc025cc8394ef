import type { Profile } from '../../results/results.ts';
import { keyOf } from './frame-groups.ts';
import type { CallTree, FunctionName } from './why-model.ts';

/** A call that has less than this share of a request on both sides counts for its caller. */
const LEAST = 0.001;
/** The most calls of a tree: the rarest calls of a larger one count for their callers, too. */
export const MAX_CALLS = 3000;

interface Node {
  key: string;
  self: [variant: number, base: number];
  total: [variant: number, base: number];
  callees: Map<string, Node>;
}

/** A profile, and µs of CPU per request that a sample of it represents, as a share of its side's starts. */
export interface Weighed {
  profile: Profile;
  worth: number;
  side: 'variant' | 'base';
}

/** Merges the trees of all starts: calls with the same stack are the same call. */
export function mergeTrees(list: readonly Weighed[], nameOf: (key: string) => FunctionName): CallTree {
  const root: Node = makeNode('');
  for (const { profile, worth, side } of list) addTree(root, profile, worth, side === 'variant' ? 0 : 1);
  sumUp(root);
  const whole = Math.max(...root.total);
  const sizes = collect(root, (node) => Math.max(...node.total)).sort((a, b) => b - a);
  const least = Math.max(LEAST * whole, sizes[MAX_CALLS] ?? 0);
  const frames = new Map<string, number>();
  const calls: CallTree['calls'][number][] = [];
  const write = (node: Node, caller: number): void => {
    for (const callee of [...node.callees.values()].sort((a, b) => sizeOf(b) - sizeOf(a))) {
      if (sizeOf(callee) <= least) continue;
      const frame = frames.get(callee.key) ?? frames.size;
      frames.set(callee.key, frame);
      const [variant, base] = ownOf(callee, least);
      write(callee, calls.push([caller, frame, variant, base]) - 1);
    }
  };
  write(root, -1);
  return { frames: [...frames.keys()].map(nameOf), calls };
}

const makeNode = (key: string): Node => ({ key, self: [0, 0], total: [0, 0], callees: new Map() });

const sizeOf = ({ total }: Node): number => Math.max(...total);

/** With that of what it calls too rarely. */
function ownOf(node: Node, least: number): [number, number] {
  const rare = [...node.callees.values()].filter((callee) => sizeOf(callee) <= least);
  const of = (side: 0 | 1) => node.self[side] + rare.reduce((sum, { total }) => sum + total[side], 0);
  return [of(0), of(1)];
}

function addTree(root: Node, { frames, tree }: Profile, worth: number, side: 0 | 1): void {
  const keys = frames.map(keyOf);
  const nodes: Node[] = [];
  for (const [caller, frame, samples] of tree) {
    const { callees } = nodes[caller] ?? root;
    const key = keys[frame] ?? '';
    const node = callees.get(key) ?? makeNode(key);
    callees.set(key, node);
    node.self[side] += samples * worth;
    nodes.push(node);
  }
}

function sumUp(node: Node): void {
  node.total = [...node.self];
  for (const callee of node.callees.values()) {
    sumUp(callee);
    node.total[0] += callee.total[0];
    node.total[1] += callee.total[1];
  }
}

function collect<T>(node: Node, of: (node: Node) => T): T[] {
  const found: T[] = [];
  const visit = ({ callees }: Node): void => {
    for (const callee of callees.values()) {
      found.push(of(callee));
      visit(callee);
    }
  };
  visit(node);
  return found;
}
