import { stringify } from 'yaml';
import { UserError } from '../../errors.ts';

/** Kubernetes objects that make k6-operator run a scenario. Pure. */

/** A file by its path below the folder that the pods mount. */
export interface MountedFile {
  path: string;
  bytes: Uint8Array;
}

interface TestRunOptions {
  /** The name of the TestRun; the names of ConfigMaps begin with it. */
  name: string;
  image: string;
  /** Pods, each with its share of the load. */
  segments: number;
  /** The folder at which the pods mount the files. */
  folder: string;
  /** Path of the script among the files. */
  entry: string;
  env: Readonly<Record<string, string>>;
  /** For k6, beside those that the operator adds: fixed words without spaces. */
  flags: readonly string[];
}

/** Kubernetes limits a ConfigMap to 1 MiB; names and base64 need some of it. */
const MOST_BYTES = 900 * 1024;

/** The objects, as one file for `kubectl apply --server-side`: without that, the limit of an object is 256 KiB. */
export function writeTestRun(files: readonly MountedFile[], options: TestRunOptions): string {
  const maps = packFiles(files).map((packed, i) => makeConfigMap(`${options.name}-${i}`, packed));
  const sources = maps.map(({ object, items }) => ({ configMap: { name: object.metadata.name, items } }));
  return [...maps.map(({ object }) => object), makeTestRun(sources, options)]
    .map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n');
}

function makeTestRun(sources: readonly object[], options: TestRunOptions): object {
  const { name, image, segments, folder, entry, env, flags } = options;
  const pod = {
    image,
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    volumes: [{ name: 'bench', projected: { sources } }],
    volumeMounts: [{ name: 'bench', mountPath: folder, readOnly: true }],
  };
  return {
    apiVersion: 'k6.io/v1alpha1',
    kind: 'TestRun',
    metadata: { name },
    spec: {
      parallelism: segments,
      // In folders of their own, which the keys of a ConfigMap cannot name: so not `script.configMap`.
      script: { localFile: `${folder}/${entry}` },
      ...(flags.length > 0 && { arguments: flags.join(' ') }),
      runner: pod,
      initializer: pod,
    },
  };
}

/** Files in the order given, in as few maps as they fit into one after the other. */
function packFiles(files: readonly MountedFile[]): MountedFile[][] {
  const packed: MountedFile[][] = [];
  let room = 0;
  for (const file of files) {
    const size = sizeOf(file);
    if (size > MOST_BYTES) {
      throw new UserError('a file of the scenario is too large for a ConfigMap', {
        ...{ found: `${file.path}: ${file.bytes.length} bytes`, allowed: `${MOST_BYTES} bytes at most` },
        hint: 'make it smaller, or build an image of k6 with the files in it',
      });
    }
    if (packed.length === 0 || size > room) {
      packed.push([]);
      room = MOST_BYTES;
    }
    packed.at(-1)?.push(file);
    room -= size;
  }
  return packed;
}

const sizeOf = ({ path, bytes }: MountedFile) => (isText(bytes) ? 1 : 4 / 3) * bytes.length + path.length;

function makeConfigMap(name: string, files: readonly MountedFile[]) {
  const keyed = files.map((file, i) => ({ ...file, key: keyOf(file.path, i) }));
  const texts = keyed.filter(({ bytes }) => isText(bytes));
  const others = keyed.filter(({ bytes }) => !isText(bytes));
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    ...(texts.length > 0 && {
      data: Object.fromEntries(texts.map(({ key, bytes }) => [key, Buffer.from(bytes).toString('utf8')])),
    }),
    ...(others.length > 0 && {
      binaryData: Object.fromEntries(
        others.map(({ key, bytes }) => [key, Buffer.from(bytes).toString('base64')]),
      ),
    }),
  };
  return { object, items: keyed.map(({ key, path }) => ({ key, path })) };
}

/** Kubernetes takes letters, digits, `-`, `_` and `.` alone; the number keeps those apart that are alike then. */
function keyOf(path: string, index: number): string {
  const tail = path.replace(/[^-\w.]/g, '_').slice(-200);
  return `${String(index).padStart(3, '0')}-${tail}`;
}

function isText(bytes: Uint8Array): boolean {
  // A byte order mark would not come back.
  if (bytes.includes(0) || bytes[0] === 0xef) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A name of a Kubernetes object from that of a scenario: what a label takes, too. */
export function objectName(scenario: string): string {
  const name = scenario
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `bench-${name || 'load'}`.replace(/-+$/, '');
}
