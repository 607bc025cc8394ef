import { expect, test } from 'vitest';
import { UserError } from '../errors.ts';
import { askEngine, type Docker } from './docker.ts';

// What Docker's client prints; whoever runs the tests may use the engine.
const SOCKET = 'the Docker daemon socket at unix:///var/run/docker.sock';

test.each([
  [
    `permission denied while trying to connect to ${SOCKET}`,
    /^you may not use the Docker engine\n.*\n.*group docker/,
  ],
  [`Cannot connect to ${SOCKET}. Is it running?`, /^no Docker engine answers\n.*\n.*engine\/install/],
])('an engine that refuses: %s', async (error, message) => {
  const answer = { code: 0, stdout: JSON.stringify({ ServerErrors: [error] }), stderr: '' };
  const docker: Docker = { try: async () => answer, run: async () => '' };
  const refusal = await askEngine(docker).catch((thrown: unknown) => thrown);
  expect(refusal).toBeInstanceOf(UserError);
  expect((refusal as UserError).format()).toMatch(message);
});
