import { cleanLine, cleanText } from '../../text/plain.ts';

/** Markup that is safe to put into the page as it is. Only `html` and `raw` make it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

/** The one place where text becomes part of the page: whatever stands in `${…}` is escaped unless it is Html. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let [text = ''] = strings;
  for (const [i, part] of parts.entries()) text += render(part) + strings[i + 1];
  return new Html(text);
}

/** Markup of our own making. */
export function raw(text: string): Html {
  return new Html(text);
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeText(String(part));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for an element or a quoted attribute. It loses characters that control terminals or turn text around. */
function escapeText(text: string): string {
  return cleanText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** A name from elsewhere in our line: it reads in its own direction and leaves that of the line alone. */
export function name(label: string): Html {
  return html`<bdi class="name">${cleanLine(label)}</bdi>`;
}

const [OPEN, CLOSE] = ['\u2068', '\u2069'];

/** The same where text is put together first, to become Html by `sentence`: the marks are what `cleanLine` takes out. */
export function isolate(label: string): string {
  return OPEN + cleanLine(label) + CLOSE;
}

/** Text with isolated names in it; no line ends between a number and its unit. */
export function sentence(text: string): Html {
  const parts = text.split(new RegExp(`${OPEN}([^${CLOSE}]*)${CLOSE}`, 'u'));
  return html`${parts.map((part, i) => (i % 2 === 1 ? name(part) : part.replace(/(?<=\d) (?=(?:%|ms|rps)(?!\w))/g, '\u00a0')))}`;
}

/** Data for the page's script. Nothing in it can end the element: there is no `<` left. */
export function embedJson(id: string, data: unknown): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return raw(`<script type="application/json" id="${id}">${json}</script>`);
}
