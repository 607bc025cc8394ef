/** Constraints on the version of PHP, as Composer writes them. A constraint that is not understood allows every version. Pure. */

/** A requirement on the version of PHP that an app's files have. */
export interface PhpNeed {
  /** As it was written: `^8.3`. */
  constraint: string;
  /** The place of the constraint: `require.php in composer.json`. */
  source: string;
  /** Only its lower bound counts: Composer resolves for another version, and no code checks the upper one. */
  floor?: true;
}

/** Versions as numbers, from the lowest one to the first one above. */
interface Range {
  from: number;
  to: number;
}

const EVERY: Range = { from: 0, to: Number.POSITIVE_INFINITY };

const numberOf = (major: number, minor = 0, patch = 0) => (major * 1000 + minor) * 1000 + patch;

/** Whether a release of `8.4` can meet a need, other than 8.4.0: `8.4` and `<=8.4` mean that one alone. */
export function meetsNeed(version: string, { constraint, floor }: PhpNeed): boolean {
  const ranges = readRanges(constraint);
  if (ranges === null) return true;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [from, to] = [numberOf(major, minor), numberOf(major, minor + 1)];
  if (floor) return ranges.some((range) => range.from < to);
  return ranges.some((range) => Math.max(range.from, from) < Math.min(range.to, to));
}

/** `8.4` in a constraint such as `<=8.4`, which Composer reads as 8.4.0; undefined: there is none. */
export function findWithoutPatch(constraint: string): string | undefined {
  const parts = constraint.replace(/[\dv.]+ +- +[\dv.]+/g, '').replace(/([<>=!~^]) +/g, '$1');
  return parts.split(/[\s|,]+/).flatMap((part) => /^(?:<=|==?|)v?(\d+(?:\.\d+)?)$/.exec(part)?.[1] ?? [])[0];
}

/** The ranges of the alternatives; null if one of them is not understood. */
function readRanges(constraint: string): Range[] | null {
  const ranges = constraint.split(/\|\|?/).map((part) => readRange(part.trim()));
  return ranges.every((range) => range !== null) ? ranges : null;
}

/** The range that all parts have in common: `>=8.1 <8.4`, `8.1 - 8.3`. */
function readRange(text: string): Range | null {
  const [, first, last] = /^([\dv.]+) +- +([\dv.]+)$/.exec(text) ?? [];
  const parts =
    first !== undefined && last !== undefined
      ? [readPart(`>=${first}`), readPart(`${/\..*\./.test(last) ? '<=' : '-'}${last}`)]
      : text
          .replace(/([<>=!~^]) +/g, '$1')
          .split(/[\s,]+/)
          .map(readPart);
  return parts.reduce(
    (all, part) => all && part && { from: Math.max(all.from, part.from), to: Math.min(all.to, part.to) },
    EVERY as Range | null,
  );
}

const PART = /^(>=|<=|<>|!=|==|[\^~><=-]|)v?(\d{1,3})(?:\.(\d{1,3}))?(?:\.(\d{1,3}))?((?:\.[*xX])*)$/;

/** One comparison. `-8.3`: the end of a range, which has all of 8.3. */
function readPart(text: string): Range | null {
  if (/^\*(\.\*)*$/.test(text)) return EVERY;
  const [, operator, ...found] = PART.exec(text) ?? [];
  const wild = found.pop() !== '';
  if (operator === undefined || (wild && operator !== '')) return null;
  const [major = 0, minor, patch] = found.map((digits) =>
    digits === undefined ? undefined : Number(digits),
  );
  const from = numberOf(major, minor, patch);
  const afterMajor = numberOf(major + 1);
  const afterMinor = minor === undefined ? afterMajor : numberOf(major, minor + 1);
  if (wild) return { from, to: patch === undefined ? afterMinor : from + 1 };
  switch (operator) {
    case '^':
      // From 0.x on, fewer numbers may change. No PHP has such a version.
      return major === 0 ? null : { from, to: afterMajor };
    case '~':
      return { from, to: patch === undefined ? afterMajor : afterMinor };
    case '-':
      return { from: 0, to: afterMinor };
    case '>=':
      return { from, to: EVERY.to };
    case '>':
      return { from: from + 1, to: EVERY.to };
    case '<':
      return { from: 0, to: from };
    case '<=':
      return { from: 0, to: patch === undefined ? from : from + 1 };
    case '!=':
    case '<>':
      return EVERY;
    default:
      return { from, to: patch === undefined ? from : from + 1 };
  }
}
