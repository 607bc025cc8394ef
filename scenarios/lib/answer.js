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
