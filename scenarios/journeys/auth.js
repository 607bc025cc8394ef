// A stranger looks around, registers, logs in, and asks who he is: one client's way through an API with tokens.
import exec from 'k6/execution';
import { nameEndpoints, request, wrongAnswer } from '../lib/bench.js';

nameEndpoints(['GET /', 'POST /register', 'POST /login', 'GET /user']);

export default function () {
  // It prints the headers of the request as they reached the app.
  request('GET /', '/', { headers: headersOf(null), verify: 'status' });

  const email = `${exec.vu.idInTest}-${Date.now()}-${Math.random().toString(36).slice(2)}@example.org`;
  const registered = post('POST /register', '/register', {
    name: 'Example',
    email,
    password: 'secretsecret',
  });
  if (registered.status !== 200 && registered.status !== 201) return;
  if (!tokenOf(registered)) return wrongAnswer('POST /register', registered);

  const loggedIn = post('POST /login', '/login', { email, password: 'secretsecret' });
  if (loggedIn.status !== 200) return;
  const token = tokenOf(loggedIn);
  if (!token) return wrongAnswer('POST /login', loggedIn);

  const user = request('GET /user', '/user', { headers: headersOf(token), keep: true });
  if (user.status === 200 && !user.body.includes(email)) wrongAnswer('GET /user', user);
}

function post(endpoint, path, data) {
  const body = JSON.stringify(data);
  return request(endpoint, path, { method: 'POST', body, headers: headersOf(null), keep: true });
}

function tokenOf({ body }) {
  const found = /"token"\s*:\s*"([^"]+)"/.exec(body || '');
  return found ? found[1] : null;
}

function headersOf(token) {
  const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
  return token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
}
