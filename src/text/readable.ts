import { cut } from './plain.ts';

/** Control characters, and what takes the place of bytes that are not UTF-8. White space is counted with neither. */
const NO_TEXT = /[^\P{Cc}\s]|\uFFFD/gu;
/** A text may contain some of them, such as colours. */
const NO_TEXT_SHARE = 0.1;

/** The text as it is. For an image or other unreadable bytes, only how many there were. Pure. */
export function readable(text: string): string {
  const odd = text.match(NO_TEXT)?.length ?? 0;
  return odd > NO_TEXT_SHARE * text.length ? `(binary, ${text.length} characters)` : text;
}

/** Words of a line that shows what is wrong. A heading such as `Error 500` has none. */
const WRONG =
  /\b(not|no such|cannot|can't|couldn't|unable|fail(s|ed|ure)|denied|missing|invalid|refused|undefined|unknown|uncaught|SQLSTATE|(error|exception):)/i;

/** So many characters of a text, in one line. A page begins with its title and menu: a long one is shown from its message on. Pure. */
export function readMessage(text: string, characters: number): string {
  const inLine = (part: string) => part.replace(/\s+/g, ' ').trim();
  const whole = inLine(text);
  if (whole.length <= characters) return whole;
  const lines = text.split('\n');
  const from = Math.max(
    0,
    lines.findIndex((line) => WRONG.test(line)),
  );
  return cut(inLine(lines.slice(from).join('\n')), characters);
}
