/** Text of HTML pages, which are untrusted. Pure, for reading only: the result may have markup again. */

/** Parts that nobody sees, to the end if they are not closed. */
const UNSEEN = /<!--.*?(-->|$)|<(script|style)\b.*?(<\/\2\s*>|$)/gis;
const TAG = /<[^<>]*>/g;
const CODE = /&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi;
const NAMES = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' },
    ...{ lsaquo: '‹', rsaquo: '›', laquo: '«', raquo: '»', ndash: '–', mdash: '—', bull: '•', middot: '·' },
  }),
);

/** The text that a person reads of a page or a part of one, with its line breaks, without blank lines. */
export function readHtml(html: string): string {
  return readCodes(html.replace(UNSEEN, ' ').replace(TAG, ' '))
    .replace(/&(\w{2,8});/g, (all, name) => NAMES.get(name) ?? all)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}

/** `me&#64;app.test` → `me@app.test`; the names of characters stay. */
export function readCodes(html: string): string {
  return html.replace(CODE, (all, hex, decimal) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
