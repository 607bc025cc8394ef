import { readsAsError } from '../text/log-cause.ts';
import { readHtml } from '../text/page-text.ts';
import { cut } from '../text/plain.ts';
import { type Docker, lastLines, readLog } from './docker.ts';

/** The log of a server and its app; `complaint`: its line that shows what went wrong, null if none does. */
export interface Logged {
  log: string;
  complaint: string | null;
}

/**
 * A file that apps log to unless they are configured to take stderr, such as `var/log/prod.log` or `logs/errors.log`,
 * as the engine lists what changed in a container.
 */
const OWN_LOG = /^[AC] (\/app\/(?:[^/]+\/){0,2}logs?\/[^/]+\.log)$/;
/** Frameworks log there: these come first. */
const USUAL_LOG = /^\/app\/(storage\/logs|var\/log)\//;
/** An app may write as many as it likes, and anything under such a name, a pipe too. */
const OWN_LOGS = 5;
const OWN_LOG_SECONDS = 5;
/** Some errors of Laravel with their traces. */
const OWN_LOG_BYTES = 65_536;
/** The lines of such a trace that are worth reading. */
const OWN_LOG_LINES = 12;
/** Lines of the container's own log. */
const LOG_LINES = 20;

/**
 * The end of a container's log and, behind it, of what its app has logged into files since it started.
 *
 * @param sinceMs by the engine's clock: what the container logged before has nothing to do with it, nor has a file that was not
 *   written to since; null: all counts
 */
export async function readComplaint(
  docker: Docker,
  container: string,
  sinceMs: number | null,
): Promise<Logged> {
  const log = dropOwn(await readLog(docker, container, LOG_LINES, sinceMs));
  const own = await readOwnLogs(docker, container, sinceMs ?? 0);
  const lines = own.split('\n');
  const from = lines.findLastIndex((line) => findComplaint(line) !== null);
  const excerpt = from < 0 ? '' : `${lines.slice(from, from + OWN_LOG_LINES).join('\n')}\n`;
  return { log: log + excerpt, complaint: findComplaint(own) ?? findComplaint(log) };
}

/** A log without requests of the tool itself: until php-fpm listens, nginx logs each of them as an error. */
export function dropOwn(log: string): string {
  return log.replace(/^.* connect\(\) .*"GET \/\.php-runtime-bench\/.*\n?/gm, '');
}

/** Reads only files that were written to since then, by the engine's clock, and since the start: those from the image are not new. */
async function readOwnLogs(docker: Docker, container: string, sinceMs: number): Promise<string> {
  const { stdout } = await docker.try(['container', 'diff', container]);
  const found = stdout.split('\n').flatMap((line) => OWN_LOG.exec(line)?.[1] ?? []);
  const isUsual = (file: string) => USUAL_LOG.test(file);
  const files = [...found.filter(isUsual), ...found.filter((file) => !isUsual(file))];
  const read = `test "$(stat -L -c %Y "$1")" -ge ${Math.floor(sinceMs / 1000)} && timeout ${OWN_LOG_SECONDS} tail -c ${OWN_LOG_BYTES} "$1"`;
  const texts = await Promise.all(
    files.slice(0, OWN_LOGS).map((file) => docker.try(['exec', container, 'sh', '-c', read, 'sh', file])),
  );
  return texts.map(({ code, stdout: text }) => (code === 0 ? text : '')).join('');
}

/** PHP's own errors, lines of Monolog as Laravel writes them, exceptions as Symfony, our workers and `(string) $e` show them. */
const COMPLAINT =
  /(?:(?:Fatal|Parse) error: +|\.(?:ERROR|CRITICAL|ALERT|EMERGENCY): |\b(?=Uncaught |[\w\\]{0,200}(?:Error|Exception): .{0,1000} in \/\S+:\d))(.+)/;
/** The most lines of what a command printed, and the most characters, before markup is taken away. */
const OUTPUT_LINES = 40;
const OUTPUT_CHARACTERS = 32_768;
/** In a sentence. */
const SAID_CHARACTERS = 200;

/** The output of a command (the text of an HTML page), and its part that shows what went wrong. */
export function readPrinted(output: string): Logged {
  const end = output.trim().slice(-OUTPUT_CHARACTERS);
  const isPage = /<!doctype html|<html|<body|<b>/i.test(end);
  const seen = isPage ? readHtml(end) : end;
  const curl = /^curl: \(\d+\) .+/m.exec(end);
  // PHP may have ended within a script of the page, which nobody sees.
  const text = findComplaint(seen) === null && findComplaint(end) !== null ? end : seen;
  const said = isPage
    ? `${curl ? `${curl[0].trim()}: ` : ''}${showPage(curl ? end.replace(curl[0], '') : end)}`
    : lastSentence(text);
  return { log: lastLines(text, OUTPUT_LINES), complaint: findComplaint(text) ?? (said || null) };
}

/** The last of several pages, as an installer answers one for each step. */
function showPage(pages: string): string {
  const from = Math.max(0, ...Array.from(pages.matchAll(/<!doctype html|<html/gi), ({ index }) => index));
  return cut((errorsOf(pages) || readHtml(pages.slice(from))).replace(/\s+/g, ' ').trim(), SAID_CHARACTERS);
}

/** Errors of the clients of MariaDB, MySQL and PostgreSQL. More lines follow: the statement, a detail, a marker. */
const SQL_ERROR = /^(?:ERROR \d+ \(|(?:psql:.*: )?ERROR: {2})/;

/** PHP's own, which end nothing. They come last, as the error stream follows what the command printed about its end. */
const NOTE = /^(?:PHP )?(?:Warning|Notice|Deprecated): /;

/** An error is among so many lines before them. */
const NEAR = 3;

/** The last line, or the last error of SQL or before notes of PHP. If it is an item of a list, or indented by a tab, all from the line before on. */
function lastSentence(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const behind = lines.findLastIndex((line) => !NOTE.test(line)) + 1;
  const beforeNotes = behind < lines.length ? lines.slice(Math.max(0, behind - NEAR), behind) : [];
  const error = lines.findLast((line) => SQL_ERROR.test(line)) ?? beforeNotes.findLast(readsAsError);
  if (error !== undefined) return error;
  const isItem = (line: string) => /^\s*[•*-]\s|^\t/.test(line);
  const from = isItem(lines.at(-1) ?? '') ? lines.findLastIndex((line) => !isItem(line)) : lines.length - 1;
  const said = lines.slice(Math.max(0, from)).map((line) => line.trim());
  return said.length > 1 ? cut(said.join(' '), SAID_CHARACTERS) : (said[0] ?? '');
}

/** An element with a class or id such as `error`, `form-errors` or Bootstrap's `alert-danger`. Installers answer so. */
const ERROR_ELEMENT =
  /<(\w+)\b[^<>]*?\b(?:class|id)=(["'])[^"'<>]*(?:error|danger)[^"'<>]*\2[^<>]*>(.*?)<\/\1\s*>/gis;

/** The texts of its messages, without the menu before them; empty ones are kept for messages to come. */
function errorsOf(page: string): string {
  const texts = Array.from(page.matchAll(ERROR_ELEMENT), ([, , , content = '']) => readHtml(content));
  return texts.filter((text) => /\w/.test(text)).join(' ');
}

/** Text after the message: a trace, the context as JSON, words of the web server, later messages of php-fpm. */
const BEHIND = /(?:\\nStack trace:| \{"|" while reading |; PHP message: ).*$/;
/** The most characters that a sentence can take; file and line stand at the end. */
const COMPLAINT_CHARACTERS = 300;
const TAIL_CHARACTERS = 120;

/** The last line of a log about an error, without what stands around its message, shortened in its middle. */
export function findComplaint(log: string): string | null {
  const found = log
    .split('\n')
    .flatMap(readMessages)
    .map((line) => COMPLAINT.exec(line)?.[1])
    .findLast((text) => text !== undefined);
  const text = found?.replace(BEHIND, '').trim() ?? '';
  if (text.length <= COMPLAINT_CHARACTERS) return text || null;
  return `${text.slice(0, COMPLAINT_CHARACTERS - TAIL_CHARACTERS)}…${text.slice(-TAIL_CHARACTERS)}`;
}

/** The texts of a line that is a JSON object, as some servers log; any other line as it is. */
function readMessages(line: string): string[] {
  if (!line.trimStart().startsWith('{')) return [line];
  try {
    const texts = Object.values(JSON.parse(line)).filter((value) => typeof value === 'string');
    return texts.flatMap((text) => text.split('\n'));
  } catch {
    return [line];
  }
}
