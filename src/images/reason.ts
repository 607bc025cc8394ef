import { lastLines } from '../engine/docker.ts';
import { adviseInBuild } from '../text/advice.ts';
import { findCause } from '../text/log-cause.ts';

/** A message from the build of an app, in bake's plain progress. */
export const SAID = /^#\d+ \d+\.\d+ php-runtime-bench: (.*)$/;

/** The registry's answer if a tag does not exist. */
const NO_IMAGE =
  /failed to resolve source metadata for \S+: (?:docker\.io\/(?:library\/)?)?(\S+): not found$/;

/** A registry's answer to too many requests, as from Docker Hub after some pulls without an account. */
const TOO_MANY =
  /failed to resolve source metadata for (?:docker\.io\/(?:library\/)?)?(\S+): .*(?:429 Too Many Requests|toomanyrequests)/;

/** No answer from a registry: there is none by that name, or the network does not reach it. */
const NO_ANSWER =
  /failed to resolve source metadata for (?:docker\.io\/(?:library\/)?)?(\S+): failed to do request: .*?: ((?:dial|read) tcp.*|net\/http: .*|EOF|context deadline exceeded)$/;

/** A step that asks for secrets, of a build that was given up. BuildKit keeps it until it ends, and so does each build behind it. */
const LOST_SESSION = /^ERROR: (?:failed to solve: )?no active sessions$/;

/** A file or folder of the app that our user may not read, such as the data of a database in a container. */
const UNREADABLE = /error from sender: \w+ (.+): permission denied$/;

const STEP_FAILED = /^#(\d+) ERROR: process .* did not complete successfully: (exit code: \d+)/;

/**
 * Why a build failed, from bake's plain progress: what the app's build reports, else what its failed step printed.
 *
 * @param folder of the app
 */
export function findReason(log: string, folder?: string): string {
  const lines = log.split('\n');
  const said = lines
    .flatMap((line) => SAID.exec(line)?.[1] ?? [])
    .findLast((text) => !text.startsWith('note: '));
  if (said !== undefined) {
    const words = said.slice(0, 600);
    return `${words}${said.startsWith('prepare: ') ? adviseInBuild(words) : ''}`;
  }
  const failed = lines.map((line) => STEP_FAILED.exec(line)).findLast((found) => found !== null);
  const printed = failed ? printedBy(failed[1] as string, lines) : '';
  if (failed && printed) return `${printed} (a RUN of the Dockerfile ended with ${failed[2]})`;
  const line = lines.findLast((text) => /^ERROR: /.test(text)) ?? lastLines(log, 1);
  const image = NO_IMAGE.exec(line)?.[1];
  if (image)
    return `the base image ${image} does not exist: choose another PHP version, or set your own image in \`images\``;
  const refused = TOO_MANY.exec(line)?.[1];
  if (refused)
    return `the registry of ${refused} takes no more requests for now (429 Too Many Requests): run \`docker login\`, wait, or set a mirror or your own image in \`images\``;
  const [, unreached, why] = NO_ANSWER.exec(line) ?? [];
  if (unreached)
    return `the base image ${unreached} could not be pulled, as its registry does not answer (${why}): check the network, or set a mirror or your own image in \`images\``;
  if (LOST_SESSION.test(line))
    return 'the builder repeats a step that an earlier build lost (no active sessions): restart the Docker engine, and run again';
  const unreadable = UNREADABLE.exec(line)?.[1];
  if (unreadable) {
    // A symbolic link to the app has another path.
    const isInside = folder !== undefined && unreadable.startsWith(`${folder}/`);
    const path = isInside ? unreadable.slice(folder.length + 1) : unreadable;
    return `the build may not read ${path} (permission denied): list it in .dockerignore, or make it readable`;
  }
  return line.replace(/^ERROR: (failed to solve: )?/, '').slice(0, 300);
}

/** The line of a step that shows why; apt warns of much before it prints `E: …`. */
function printedBy(step: string, lines: readonly string[]): string {
  const printed = lines.flatMap((line) => {
    const found = /^#(\d+) \d+\.\d+ (.*)$/.exec(line);
    return found?.[1] === step ? (found[2] as string) : [];
  });
  const apt = printed.find((line) => line.startsWith('E: '));
  return apt?.slice(0, 300) ?? findCause(printed.join('\n'));
}
