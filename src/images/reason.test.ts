import { expect, test } from 'vitest';
import { findReason } from './reason.ts';

const APT = `#9 [stage-0 2/8] RUN apt-get update && apt-get install -y nginxx
#9 0.412 Get:1 http://deb.debian.org/debian trixie InRelease [140 kB]
#9 2.118 Reading package lists...
#9 2.204 Building dependency tree...
#9 2.310 E: Unable to locate package nginxx
#9 ERROR: process "/bin/sh -c apt-get update && apt-get install -y nginxx" did not complete successfully: exit code: 100
------
 > [stage-0 2/8] RUN apt-get update && apt-get install -y nginxx:
2.310 E: Unable to locate package nginxx
------
Dockerfile:5
ERROR: failed to solve: process "/bin/sh -c apt-get update && apt-get install -y nginxx" did not complete successfully: exit code: 100
`;

test.each([
  ['apt', APT, 'E: Unable to locate package nginxx (a RUN of the Dockerfile ended with exit code: 100)'],
  [
    'a step that prints nothing',
    APT.replace(/^#9 \d.*\n/gm, ''),
    'process "/bin/sh -c apt-get update && apt-get install -y nginxx" did not complete successfully: exit code: 100',
  ],
  [
    'another step beside it',
    APT.replace('#9 ERROR', '#8 3.000 E: of another\n#9 ERROR'),
    'E: Unable to locate package nginxx (a RUN of the Dockerfile ended with exit code: 100)',
  ],
  [
    "the app's own build",
    `#5 1.0 php-runtime-bench: note: x\n#5 1.2 php-runtime-bench: prepare: no\n${APT}`,
    'prepare: no',
  ],
  [
    'a command that lacks an extension',
    '#5 1.2 php-runtime-bench: prepare: command 1 ended with exit code 255: Uncaught Error: Class "ZipArchive" not found in /app/a.php:3\n',
    'prepare: command 1 ended with exit code 255: Uncaught Error: Class "ZipArchive" not found in /app/a.php:3; add `zip` to `extensions`',
  ],
  [
    'a tag that does not exist',
    'ERROR: failed to solve: php:8.9-fpm: failed to resolve source metadata for docker.io/library/php:8.9-fpm: docker.io/library/php:8.9-fpm: not found\n',
    'the base image php:8.9-fpm does not exist: choose another PHP version, or set your own image in `images`',
  ],
  [
    'a registry that takes no more requests',
    'ERROR: failed to solve: php:8.4-fpm: failed to resolve source metadata for docker.io/library/php:8.4-fpm: unexpected status from HEAD request to https://registry-1.docker.io/v2/library/php/manifests/8.4-fpm: 429 Too Many Requests\n',
    'the registry of php:8.4-fpm takes no more requests for now (429 Too Many Requests): run `docker login`, wait, or set a mirror or your own image in `images`',
  ],
  [
    'one that says so in words',
    'ERROR: failed to solve: failed to resolve source metadata for docker.io/dunglas/frankenphp:1: failed to copy: toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit\n',
    'the registry of dunglas/frankenphp:1 takes no more requests for now (429 Too Many Requests): run `docker login`, wait, or set a mirror or your own image in `images`',
  ],
  [
    'a registry that cannot be reached',
    'ERROR: failed to solve: ghcr.io/a/rr:1: failed to resolve source metadata for ghcr.io/a/rr:1: failed to do request: Head "https://ghcr.io/v2/a/rr/manifests/1": dial tcp: lookup ghcr.io on 192.0.2.1:53: no such host\n',
    'the base image ghcr.io/a/rr:1 could not be pulled, as its registry does not answer (dial tcp: lookup ghcr.io on 192.0.2.1:53: no such host): check the network, or set a mirror or your own image in `images`',
  ],
  [
    'one that takes too long',
    'ERROR: failed to solve: failed to resolve source metadata for docker.io/library/php:8.4-fpm: failed to do request: Head "https://registry-1.docker.io/v2/library/php/manifests/8.4-fpm": net/http: TLS handshake timeout\n',
    'the base image php:8.4-fpm could not be pulled, as its registry does not answer (net/http: TLS handshake timeout): check the network, or set a mirror or your own image in `images`',
  ],
  [
    'a builder that lost a session',
    'ERROR: failed to solve: no active sessions\n',
    'the builder repeats a step that an earlier build lost (no active sessions): restart the Docker engine, and run again',
  ],
  ['an image that is not there', 'ERROR: failed to solve: nope:1: not found\n', 'nope:1: not found'],
])('%s', (_, log, reason) => {
  expect(findReason(log)).toBe(reason);
});

test.each([
  ['a folder of the app', '/home/a/app', 'docker/mysql/data'],
  ['a path that a symbolic link leads to', '/home/b', '/home/a/app/docker/mysql/data'],
  ['of no app', undefined, '/home/a/app/docker/mysql/data'],
])('what cannot be read: %s', (_, folder, path) => {
  const log =
    'ERROR: target app_shop_8_4_1: failed to solve: error from sender: open /home/a/app/docker/mysql/data: permission denied\n';
  expect(findReason(log, folder)).toBe(
    `the build may not read ${path} (permission denied): list it in .dockerignore, or make it readable`,
  );
});
