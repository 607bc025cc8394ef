import type { Frame } from '../../results/results.ts';

/** Owner of a function's code: `outside` is neither in the app's folder nor built into PHP. */
export type FrameGroup = 'own' | 'vendor' | 'autoload' | 'php' | 'outside';

const AUTOLOAD = /(^|\/)vendor\/(autoload\.php$|composer\/(ClassLoader|autoload_\w+|platform_check)\.php$)/;
const VENDOR = /(^|\/)vendor\//;
/** Written by frameworks when they warm their caches: nobody edits these. */
const GENERATED = /^(var\/cache|storage\/framework|bootstrap\/cache)\//;

/** Frames in front of the app that only one of two servers has. No function of PHP can have this name. */
export const ENTRY: Frame = { name: '(server and entry script)', file: null, line: null };
/** Calls that a stack beyond the depth limit does not show. */
export const CUT_STACK: Frame = { name: '(calls beyond the depth limit)', file: null, line: null };

/** The sampler's own mark of such a stack, in front of what it has, is a function of this file. */
export const CUT_FILE = 'excimer fake file';

export function groupOf({ name, file }: Pick<Frame, 'name' | 'file'>): FrameGroup {
  if (file === null) return [ENTRY.name, CUT_STACK.name].includes(name) ? 'outside' : 'php';
  if (file === CUT_FILE) return 'outside';
  if (AUTOLOAD.test(file)) return 'autoload';
  if (file.startsWith('/')) return 'outside';
  return VENDOR.test(file) || GENERATED.test(file) ? 'vendor' : 'own';
}

/** Code of an included file, outside of any function. */
export function isFileCode({ name, file }: Pick<Frame, 'name' | 'file'>): boolean {
  return file !== null && (name === file || name.endsWith(`/${file}`));
}

/**
 * Key of a function, the same in both versions. Lines move when something above them is edited. So keys of closures
 * and anonymous classes lack their lines, and the name of a generated container lacks its hash.
 */
export function keyOf({ name, file }: Pick<Frame, 'name' | 'file'>): string {
  return JSON.stringify([name, file].map((text) => text && withoutPlaces(text)));
}

function withoutPlaces(text: string): string {
  return text
    .replace(/(?<=@anonymous)[^:\\]*?(?::\d+(?:\$[0-9a-f]+)?)/g, '')
    .replace(/(?<=\{closure:[^{}]*?)(?::\d+|\(\d+\))(?=\})/g, '')
    .replace(EVALUATED, '')
    .replace(/(?<=\bContainer)[A-Za-z0-9_]{7}(?=[\\/])/g, '');
}

/** The line that evaluated code is called in. */
const EVALUATED = /\(\d+\)(?= : (?:eval\(\)'d code|runtime-created function))/g;

/** The file that code stands in, also if it is evaluated there. */
export const pathOf = (file: string): string => file.split(EVALUATED)[0] as string;
