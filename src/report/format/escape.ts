import { cleanLine, cleanText } from '../../text/plain.ts';

/** Breaks what GitHub would link or notify, without a reader seeing it: a space of no width. */
const BREAK = '\u200b';
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '|': '&#124;',
  $: '&#36;',
  '`': '&#96;',
  [BREAK]: '&#8203;',
};

/** GitHub looks for these in what HTML shows, so no escaping helps: @name, #12, GH-12, addresses, commits. */
function breakReferences(text: string): string {
  return text
    .replace(/@/g, `@${BREAK}`)
    .replace(/#(?=\d)/g, `#${BREAK}`)
    .replace(/\b(gh-)(?=\d)/gi, `$1${BREAK}`)
    .replace(/:(?=\/\/)/g, `:${BREAK}`)
    .replace(/\bwww(?=\.)/gi, `$&${BREAK}`)
    .replace(/\b(?:mailto|xmpp)(?=:)/gi, `$&${BREAK}`)
    .replace(
      /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b/gi,
      (commit) => `${commit.slice(0, 6)}${BREAK}${commit.slice(6)}`,
    );
}

function entities(text: string): string {
  return text.replace(/[&<>|$`\u200b]/g, (character) => ENTITIES[character] as string);
}

/**
 * Text of others as Markdown that shows it and does nothing else, in a paragraph, a table cell or a list: no HTML,
 * formatting, links, images, autolinks, @mentions, #references or table cells come of it, and it stays on its line.
 */
export function escapeMarkdown(text: string): string {
  const escaped = breakReferences(cleanLine(text))
    .replace(/[\\*_[\]~]/g, '\\$&')
    // At the start of a line these would begin a heading, a list or a rule.
    .replace(/^[#+=-]/, '\\$&')
    .replace(/^(\d+)(?=[.)](?:\s|$))/, '$1\\');
  return entities(escaped);
}

/** The same inside an HTML tag of ours, where a backslash would be shown. */
export function escapeHtml(text: string): string {
  return entities(breakReferences(cleanLine(text)));
}

/** Text of others in a fixed-width font. Between backticks GitHub links and notifies nobody. */
export function code(text: string): string {
  const line = cleanLine(text);
  if (line === '') return '';
  // In a table a pipe ends the cell even between backticks.
  return /[`|\\]/.test(line) ? `<code>${escapeMarkdown(line)}</code>` : `\`${line}\``;
}

/** Several lines of others as a code block that they cannot end: its fence is longer than any in the text. */
export function codeBlock(text: string, language = ''): string {
  const lines = cleanText(text).replace(/^\n+|\s+$/g, '');
  const longest = Math.max(2, ...[...lines.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${lines}\n${fence}`;
}
