import stringWidth from 'string-width';

/** Sequences that terminals act on: colours, cursor moves, titles. The text between them is kept. */
const ESCAPE_SEQUENCES = new RegExp(
  ['\\[[0-?]*[ -/]*[@-~]', '[\\]PX^_][^\\p{Cc}]*(?:\u0007|\u001b\\\\)?', '[@-Z\\\\^_]']
    .map((end) => `\u001b(?:${end})`)
    .join('|'),
  'gu',
);
/** All but line breaks and tabs. */
const CONTROLS = /(?![\n\t])\p{Cc}|\ufeff/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
/** Overrides and isolates can make text read as something else; plain right-to-left text needs none of them. */
const BIDI = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Most texts have nothing else, and a large report cleans hundreds of thousands of them. */
const HARMLESS = /^[\n\t\u0020-\u007e\u00a0-\u02ff\u2010-\u2026\u2212]*$/;

/** Text of others, made harmless for a terminal: one line, no control characters, nothing that turns text around. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replace(/[\n\t\u2028\u2029]+/g, ' ')
    .trim();
}

/** The same with its line breaks and tabs kept. */
export function cleanText(text: string): string {
  if (HARMLESS.test(text)) return text;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(ESCAPE_SEQUENCES, '')
    .replace(CONTROLS, '')
    .replace(BIDI, '')
    .replace(LONE_SURROGATES, '\ufffd');
}

/** Cuts to a width in columns, with `…` where something was cut. */
export function clip(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Cuts out the middle: variants differ at their end, `nginx-fpm@8.4[workers=4]`, where not at their begin. */
export function clipMiddle(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const head = clip(text, Math.ceil(width / 2));
  let tail = '';
  for (const { segment } of [...new Intl.Segmenter().segment(text)].reverse()) {
    if (stringWidth(head + segment + tail) > width) break;
    tail = segment + tail;
  }
  return head + tail;
}

/** Names in a sentence: `a, b and c`, at most four of them. Only those are written. */
export function listNames<T>(names: readonly T[], write: (name: T) => string = String): string {
  const few = names.length > 4 ? names.slice(0, 3) : names;
  const shown = few.map((name) => write(name));
  if (few.length < names.length) shown.push(`${names.length - few.length} others`);
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** `machine 3`, `machines 1 and 2`. */
export function listAs<T>(noun: string, names: readonly T[], write?: (name: T) => string): string {
  return `${noun}${names.length === 1 ? '' : 's'} ${listNames(names, write)}`;
}

/** `1 slice`, `3 slices`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `3 of 1,200 slices` */
export function someOf(count: number, all: number, noun: string): string {
  return `${count.toLocaleString('en')} of ${plural(all, noun)}`;
}

/** The first and the last of so many characters: variants differ at their end. */
export function cutMiddle(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const all = [...text];
  const head = Math.ceil(characters / 2);
  return `${all.slice(0, head).join('')}…${all.slice(all.length - (characters - head)).join('')}`;
}

/** The first so many characters. */
export function cut(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters)}…` : text;
}
