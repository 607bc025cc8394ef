import { UserError } from '../errors.ts';
import { type Docker, lastLines } from './docker.ts';

/** How `docker compose` is installed, by system. */
const COMPOSE_HINT = [
  'Debian 13: apt-get install docker-compose',
  'Ubuntu: apt-get install docker-compose-v2',
  "Debian 12, whose docker-compose is version 1: apt-get install docker-compose-plugin, from Docker's repository (https://docs.docker.com/engine/install/debian/)",
  'Fedora: dnf install docker-compose',
  'macOS: part of Docker Desktop and OrbStack, else brew install docker-compose and name its folder lib/docker/cli-plugins in cliPluginsExtraDirs of ~/.docker/config.json',
].join('; ');

/** Before 2.19 `--progress` is no flag of all its commands. Others, such as podman-compose, name themselves otherwise. */
const TOO_OLD = /^Docker Compose version v?2\.(\d|1[0-8])\./m;

/** Errors: UserError where `docker compose` is missing or too old for services. */
export async function expectCompose(docker: Docker): Promise<void> {
  const version = await docker.try(['compose', 'version']).catch(() => null);
  if (version?.code !== 0) {
    throw new UserError('docker compose is missing, and services need it', {
      found: lastLines(version?.stderr ?? '', 1) || 'no such command',
      hint: COMPOSE_HINT,
    });
  }
  if (!TOO_OLD.test(version.stdout)) return;
  throw new UserError('docker compose is too old for services', {
    found: lastLines(version.stdout, 1),
    allowed: '2.19 or newer',
    hint: COMPOSE_HINT,
  });
}
