/** Control characters, and what takes the place of bytes that are not UTF-8. White space is counted with neither. */
const NO_TEXT = /[^\P{Cc}\s]|\uFFFD/gu;
/** A text may contain some of them, such as colours. */
const NO_TEXT_SHARE = 0.1;

/** The text as it is. For an image or other unreadable bytes, only how many there were. Pure. */
export function readable(text: string): string {
  const odd = text.match(NO_TEXT)?.length ?? 0;
  return odd > NO_TEXT_SHARE * text.length ? `(binary, ${text.length} characters)` : text;
}
