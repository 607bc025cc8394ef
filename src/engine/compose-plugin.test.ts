import { expect, test } from 'vitest';
import type { Host } from '../host.ts';
import { expectCompose } from './compose-plugin.ts';
import type { Docker } from './docker.ts';
import { diagnoseNeeds } from './machine/doctor.ts';

test.each([
  ['Docker Compose version v2.5.0', false],
  ['Docker Compose version 2.18.1+ds1-0ubuntu1', false],
  ['Docker Compose version v2.19.0', true],
  ['Docker Compose version v2.24.6-desktop.1', true],
  ['Docker Compose version v5.0.1', true],
  ['Docker Compose version dev', true],
  ['podman-compose version 1.0.6', true],
  ['', true],
])('compose of the version %j', async (stdout, fits) => {
  const answer = async () => ({ code: 0, stdout, stderr: '' });
  const error = await expectCompose({ try: answer } as unknown as Docker).catch((thrown: unknown) => thrown);
  if (fits) expect(error).toBeUndefined();
  else
    expect(error).toMatchObject({
      message: 'docker compose is too old for services',
      detail: { found: stdout },
    });
  const services = { file: '/compose.yml', reset: {} };
  const [finding] = await diagnoseNeeds({ exec: answer } as unknown as Host, { services }, false);
  expect(finding?.ok).toBe(fits);
});
