import { UserError } from '../../errors.ts';
import { record, scalar } from '../document.ts';
import type { Key } from '../keys/key-values.ts';
import { refuse } from '../text.ts';
import { hostValue } from '../values.ts';

/** The headers that a user adds to every request. */

/** A token as in RFC 9110, section 5.6.2. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}";
const IS_NAME = RegExp(`^${TOKEN}$`);
/** The comma between two headers in one text. Values have commas, too. */
const BETWEEN = RegExp(`,(?=\\s*${TOKEN}=)`);
const EXAMPLE = 'Accept=application/json';

/** Headers of the connection, and those that this tool or k6 sets. By name, with a hint where another key sets it. */
const RESERVED: ReadonlyMap<string, string | undefined> = new Map([
  ['Host', 'use the key `host`'],
  ['Connection', 'use the key `reuse`'],
  ['Keep-Alive', 'use the key `reuse`'],
  ['Proxy-Connection', 'use the key `reuse`'],
  ...[
    ...['Content-Length', 'Transfer-Encoding', 'Te', 'Trailer', 'Upgrade', 'Expect', 'Http2-Settings'],
    // Servers drop `Proxy`, as a CGI variable with its name would set a proxy for the app.
    ...['Proxy', 'Proxy-Authenticate', 'Proxy-Authorization'],
  ].map((name): [string, undefined] => [name, undefined]),
]);

/** `x-api-key` → `X-Api-Key`: names have no case, and k6 sends them like this. */
function canonicalOf(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function checkName(text: string): void {
  if (!IS_NAME.test(text)) {
    throw refuse(
      'not the name of a header',
      text,
      'up to 100 letters, digits and -, such as X-Forwarded-Proto',
    );
  }
  const name = canonicalOf(text);
  if (!RESERVED.has(name)) return;
  const allowed = `any except ${[...RESERVED.keys()].join(', ')}`;
  throw refuse('this header is reserved', text, allowed, RESERVED.get(name));
}

const MOST_CHARACTERS = 4000;

/** It may be a secret, so no message has it. */
const headerValue = scalar(
  (written) => {
    const text = written.trim();
    if (text !== '' && text.length <= MOST_CHARACTERS && !/\p{Cc}/u.test(text)) return text;
    const long = text.length > MOST_CHARACTERS ? `${text.length} characters` : 'a control character';
    throw new UserError('not the value of a header', {
      found: text === '' ? 'nothing' : long,
      allowed: `one line of 1 to ${MOST_CHARACTERS} characters`,
    });
  },
  { type: ['string', 'number', 'boolean'], minLength: 1, maxLength: MOST_CHARACTERS },
);

/** By canonical name. */
const headers = record(checkName, headerValue)
  .superRefine((map, context) => {
    const names = Object.keys(map);
    const twice = names.find(
      (name, i) => names.findIndex((other) => canonicalOf(other) === canonicalOf(name)) < i,
    );
    if (twice === undefined) return;
    const params = { found: `'${twice}'`, hint: 'names of headers have no case' };
    context.addIssue({ code: 'custom', path: [twice], message: 'this header is given twice', params });
  })
  .transform((map) =>
    Object.fromEntries(Object.entries(map).map(([name, value]) => [canonicalOf(name), value])),
  );

/**
 * `Accept=text/html,application/xml;q=0.9,X-A=1` → a map. A comma begins the next header only before a name with `=`, and
 * none where each header has a line of its own.
 * Messages have no value: it may be a secret.
 */
export function readHeaderPairs(texts: readonly string[]): Record<string, string> {
  const split = (text: string) => text.split(text.includes('\n') ? '\n' : BETWEEN);
  const pairs = texts.flatMap(split).filter((text) => text.trim());
  const found = pairs.map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals)).trim();
    if (name !== '' && !name.includes(':')) return [name, pair.slice(equals + 1)];
    const [before = '', after] = pair.split(':', 2);
    const hint = after === undefined ? undefined : "write '=' after the name instead of ':'";
    throw refuse('not a pair', before.replace(/=.*/s, '=…'), `NAME=VALUE such as ${EXAMPLE}`, hint);
  });
  const [twice] = found.find(([name], i) => found.findIndex(([other]) => other === name) < i) ?? [];
  if (twice !== undefined) throw refuse('this header is given twice', twice, 'each header once');
  return Object.fromEntries(found);
}

/** Headers whose values are no secrets, and decide what an app answers. */
const OPEN =
  /^(Accept(-.*)?|Content-Type|User-Agent|X-Forwarded-(Proto|Host|Port)|X-Requested-With|Cache-Control|Prefer)$/;

/** The headers as results show them, sorted: `Accept: application/json`, and the name alone where a value may be a secret. */
export function nameHeaders(headers: Readonly<Record<string, string>>): string[] {
  const shown = Object.entries(headers).map(([name, value]) =>
    OPEN.test(name) ? `${name}: ${value.slice(0, 200)}` : name,
  );
  return shown.sort();
}

/** Keys for what every request carries. */
export const REQUEST_KEYS = {
  host: {
    schema: hostValue,
    value: 'NAME',
    about: 'Host name of all requests, such as www.example.com. Requests never reach the site of that name',
    default: 'app.test',
  },
  headers: {
    schema: headers,
    value: 'NAME=VALUE,…',
    about: `Headers that every request carries, such as ${EXAMPLE}`,
    default: 'none',
    many: 'headers',
  },
} as const satisfies Record<string, Key>;
