/** What every request says unless its journey says otherwise: a server that compresses does so for who asks, as browsers do. */
export const HEADERS = { 'Accept-Encoding': 'gzip' };

/** What is compared of a response, with no more of its body than `maxBody` characters. */
export function toAnswer(response, maxBody) {
  return {
    status: response.status,
    error: response.error || '',
    type: response.headers['Content-Type'] || '',
    location: response.headers.Location || '',
    body: String(response.body || '').slice(0, maxBody),
  };
}
