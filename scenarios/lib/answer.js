/** The default headers of each request: a server that compresses does so for who asks, as browsers do. */
export const HEADERS = { 'Accept-Encoding': 'gzip' };

/** All headers of each request: `headers` are the user's, which replace our own. Host null: the name in the URL. */
export function headersFor({ host, headers }) {
  return { ...HEADERS, ...headers, ...(host === null ? {} : { Host: host }) };
}

/** The compared parts of a response, with at most `maxBody` characters of its body. */
export function toAnswer(response, maxBody) {
  return {
    status: response.status,
    error: response.error || '',
    type: response.headers['Content-Type'] || '',
    location: response.headers.Location || '',
    headers: headersOf(response),
    text: textOf(response),
    characters: String(response.body || '').length,
    body: String(response.body || '').slice(0, maxBody),
  };
}

const HEADER_CHARACTERS = 1024;
const TEXT_CHARACTERS = 2048;
// Before tags are taken away: an error page may begin with its styles.
const MARKUP_CHARACTERS = 32768;

/** The beginning of a body as a person reads it: the text of a page. */
export function textOf(response) {
  const body = String(response.body || '').slice(0, MARKUP_CHARACTERS);
  if (!/^\s*</.test(body)) return body.slice(0, TEXT_CHARACTERS);
  return body
    .replace(/<!--[\s\S]*?-->|<style[\s\S]*?<\/style>|<script[\s\S]*?<\/script>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(nbsp|lt|gt|quot|#0?39|amp);/g, (_, name) => ENTITIES[name.replace('#0', '#')])
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim()
    .slice(0, TEXT_CHARACTERS);
}
const ENTITIES = { nbsp: ' ', lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** Headers as lines, for people. */
export function headersOf(response) {
  const lines = Object.entries(response.headers || {}).map(([name, value]) => `${name}: ${value}`);
  return lines.sort().join('\n').slice(0, HEADER_CHARACTERS);
}
