import { groupPages } from '../../analyse/checked-pages.ts';
import type { CheckedPage, Warning } from '../../results/results.ts';
import { readHtml } from '../../text/page-text.ts';
import { cleanLine, cut, listNames } from '../../text/plain.ts';
import type { Server } from '../servers/servers.ts';
import { findUnfinished, type Unfinished } from './unfinished.ts';
import type { Answer, Round } from './verify.ts';

/** Answers of the paths and the steps of journeys before the load, for people. Pure. */
export interface Pages {
  /** One entry for each, not for each variant, unless they differ. */
  checked: CheckedPage[];
  warnings: Warning[];
}

/**
 * @param rounds the latest first: a variant is in some of them
 * @param setUpSaid what `set-up` printed there
 */
export function describePages(
  servers: readonly Server[],
  rounds: readonly Round[],
  setUpSaid: (variant: Server['variant']) => string | null | undefined = () => null,
): Pages {
  const checked: CheckedPage[] = [];
  const odd: Odd[] = [];
  const logins: CheckedPage[] = [];
  for (const { variant } of servers) {
    for (const { page, answer, unfinished } of listPages(variant.id, rounds)) {
      checked.push(page);
      if (unfinished)
        odd.push({ ...unfinished, page, label: variant.label, said: setUpSaid(variant) ?? null });
      else if (variant === servers[0]?.variant && isShown(page) && isLogin(page, answer.body))
        logins.push(page);
    }
  }
  const [first] = servers;
  const twin = servers.find(({ variant }) => variant.id === first?.variant.base);
  return {
    checked: groupPages(checked),
    warnings: [
      ...warn(odd, servers.length),
      ...warnOfLogin(logins),
      ...(first ? groupSame(listShown(first.variant.id, rounds)) : []).map(warnOfSame),
      ...(first && twin ? warnOfNew(first.variant.id, twin.variant, rounds) : []),
    ],
  };
}

const isShown = ({ journey, status }: CheckedPage) => journey === null && status === 200;

/** The pages of a variant that may be one page behind several paths. */
function listShown(variant: string, rounds: readonly Round[]): Shown[] {
  return listPages(variant, rounds).flatMap(({ page, answer, unfinished }) => {
    const head = headOf(page);
    if (unfinished || !isShown(page) || head === null || isLogin(page, answer.body)) return [];
    return [{ name: nameOf(page), head, words: wordsOf(answer.body, page.endpoint) }];
  });
}

/** A page of one version alone that looks like none of the app. */
export interface OneSided {
  /** `GET / looks like an installer (HTTP 200 "Setup"), and that of apache@8.4 does not`. */
  reason: string;
  remedy: string;
}

/** Between the base and the head of a variant, each with its first such page, by id. */
export function findOneSided(servers: readonly Server[], rounds: readonly Round[]): Map<string, OneSided> {
  const unfinished = new Map(
    servers.map(({ variant: { id } }) => [id, listPages(id, rounds).filter(isUnfinished)]),
  );
  const found = new Map<string, OneSided>();
  for (const { variant } of servers) {
    const isTwin = ({ id, base }: typeof variant) => id === variant.base || base === variant.id;
    const twin = servers.find((other) => isTwin(other.variant))?.variant;
    if (!twin) continue;
    const isThere = (page: CheckedPage) =>
      unfinished.get(twin.id)?.some((other) => nameOf(other.page) === nameOf(page));
    const first = unfinished.get(variant.id)?.find(({ page }) => !isThere(page));
    if (!first?.unfinished) continue;
    const { what, remedy } = first.unfinished;
    const looks = `${nameOf(first.page)} looks like ${what} (${showHead(first.page)})`;
    found.set(variant.id, { reason: `${looks}, and that of ${twin.label} does not`, remedy });
  }
  return found;
}

/** And is loaded: `/` is asked beside a k6 script, too. */
const isUnfinished = ({ page, unfinished, mayRefuse }: Seen) =>
  unfinished !== null && (page.journey !== null || !mayRefuse);

interface Seen {
  page: CheckedPage;
  /** As `Asked` has it. */
  mayRefuse: boolean;
  answer: Answer;
  unfinished: Unfinished | null;
}

/** All that a variant was asked, each once. */
function listPages(variant: string, rounds: readonly Round[]): Seen[] {
  const replies =
    rounds
      .find((round) => round.has(variant))
      ?.get(variant)
      ?.values() ?? [];
  const seen = new Map<string, Seen>();
  for (const { endpoint, mayRefuse = false, answer } of replies) {
    const [path = '', journey = null] = endpoint.split('\n');
    // Nobody knows what a k6 script asks for: `/` may be missing.
    const isRefused = journey === null && mayRefuse && (answer.status === 0 || answer.status >= 400);
    if (seen.has(endpoint) || isRefused) continue;
    const page = describePage(path, journey, variant, answer);
    const unfinished = findUnfinished({ ...page, body: answer.body });
    seen.set(endpoint, { page, mayRefuse, answer, unfinished });
  }
  return [...seen.values()];
}

/** A path that asks for such a form is meant. */
const LOGIN_PATH = /log-?[io]n|sign-?[iu][np]|auth|regist|password/i;
const LOGIN_TITLE = /\b(log|sign)[ -]?[io]n\b/i;
const PASSWORD = /\btype\s*=\s*["']?password\b/i;
const PART = /<(\/?)(dialog|div|section|aside|input)\b([^<>]{0,2000})>/gi;
/** Attributes of a window that a script of the page opens, such as Bootstrap's. */
const DIALOG =
  /\brole\s*=\s*["']?dialog\b|\baria-hidden\s*=\s*["']?true\b|\bclass\s*=\s*(["'])([^"']*\s)?modal[\s"']/i;
/** A page with more text may have a box for visitors with an account. */
const MOST_WORDS = 150;

/** Shows little more than a form with a password. */
function isLogin({ endpoint, title }: CheckedPage, body: string): boolean {
  if (LOGIN_PATH.test(endpoint) || !hasPassword(body)) return false;
  return (
    LOGIN_TITLE.test(title ?? '') || (readHtml(body).match(/[\p{L}\p{N}]+/gu) ?? []).length <= MOST_WORDS
  );
}

/** Whether a field for a password is outside of any dialog. */
function hasPassword(body: string): boolean {
  let dialog: { name: string; depth: number } | null = null;
  for (const [, end, tag = '', attributes = ''] of body.matchAll(PART)) {
    const name = tag.toLowerCase();
    if (dialog === null) {
      if (name === 'input' && PASSWORD.test(attributes)) return true;
      const isDialog = !end && name !== 'input' && (name === 'dialog' || DIALOG.test(attributes));
      if (isDialog) dialog = { name, depth: 1 };
    } else if (name === dialog.name) {
      const depth: number = dialog.depth + (end ? -1 : 1);
      dialog = depth === 0 ? null : { name, depth };
    }
  }
  return false;
}

function warnOfLogin(pages: readonly CheckedPage[]): Warning[] {
  const [first] = pages;
  if (first === undefined) return [];
  const shows = first.title === null ? '' : ` ("${first.title}")`;
  return [
    {
      code: 'login-form',
      message: `${listNames(pages.map(nameOf))} ${pages.length > 1 ? 'look' : 'looks'} like a login form${shows}`,
      remedy:
        'log in with a k6 script, or send a token with `headers`. If you mean this form, ignore this warning',
      variant: null,
    },
  ];
}

/** A page of the first variant, for the search for paths that show one page. */
interface Shown {
  name: string;
  head: string;
  words: ReadonlySet<string>;
}

/** As a message shows it; null: it may be the answer of an API, even if that is sent as HTML, such as `OK`. */
function headOf({ title, text = '' }: CheckedPage): string | null {
  if (title !== null) return `"${title}"`;
  return /^[[{"\d]/.test(text) || text.split(' ').length < MESSAGE_WORDS ? null : `'${text}'`;
}

/** A message has so many words at least. */
const MESSAGE_WORDS = 3;
/** Two answers with one page differ in the path that a form leads back to, and in one or two tokens. */
const OTHER_WORDS = 4;
/** With long tokens they may differ in more: then they are no pages of their own. */
const ALIKE_WORDS = 3 * OTHER_WORDS;

/** Pages that are one page of HTML. */
type Group = [Shown, ...Shown[]];

/** Paths that show one page, such as a login form or a message. */
function groupSame(shown: readonly Shown[], otherWords = OTHER_WORDS): Group[] {
  const left = [...shown];
  const groups: Group[] = [];
  for (let one = left.shift(); one; one = left.shift()) {
    const { head, words } = one;
    const same = left.filter((other) => other.head === head && isSamePage(words, other.words, otherWords));
    for (const other of same) left.splice(left.indexOf(other), 1);
    if (same.length > 0) groups.push([one, ...same]);
  }
  return groups;
}

const showSame = (group: Group) => `${listNames(group.map(({ name }) => name))} show the same page`;

function warnOfSame(group: Group): Warning {
  return {
    code: 'same-page',
    message: `${showSame(group)} (${group[0].head}), such as a login form or a message`,
    remedy:
      'compare them in a browser; for pages behind a login use a k6 script. If they are right, ignore this warning',
    variant: null,
  };
}

/** A base without a page may answer its path with another one, such as its home page. */
function warnOfNew(head: string, base: Server['variant'], rounds: readonly Round[]): Warning[] {
  const right = new Set(listPages(head, rounds).flatMap(({ page }) => (isShown(page) ? nameOf(page) : [])));
  const alike = groupSame(listShown(head, rounds), ALIKE_WORDS);
  const areOne = (a: string, b: string) =>
    alike.some((group) => [a, b].every((wanted) => group.some(({ name }) => name === wanted)));
  return groupSame(listShown(base.id, rounds)).flatMap((group) => {
    const known = group.filter(({ name }) => right.has(name));
    const isFirst = ({ name }: Shown, i: number) => !known.slice(0, i).some((one) => areOne(one.name, name));
    const [first, ...others] = known.filter(isFirst);
    if (!first || others.length === 0) return [];
    return {
      code: 'same-page',
      message: `${showSame([first, ...others])} on ${base.label} alone (${first.head})`,
      remedy:
        'leave out paths that are new: their comparison is with another page. If they are right, ignore this warning',
      variant: null,
    };
  });
}

const isSamePage = (a: ReadonlySet<string>, b: ReadonlySet<string>, otherWords: number) =>
  [...a].filter((word) => !b.has(word)).length + [...b].filter((word) => !a.has(word)).length <= otherWords;

/** Its words, without those of its own path. */
function wordsOf(body: string, path: string): ReadonlySet<string> {
  const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const own = words(path);
  return new Set(words(body).filter((word) => !own.includes(word)));
}

/** `GET /`, or a step of a journey. */
const nameOf = ({ endpoint, journey }: CheckedPage) =>
  journey === null ? `GET ${endpoint}` : `${endpoint} (${journey})`;

/** A page that looks like none of the app, as one variant answered it. */
interface Odd extends Unfinished {
  page: CheckedPage;
  label: string;
  /** The message that `set-up` printed. */
  said: string | null;
}

/** One warning for each kind of page: which requests, on which variants where not on all, and what the first of them showed. */
function warn(odd: readonly Odd[], variants: number): Warning[] {
  return [...new Set(odd.map(({ what }) => what))].map((what) => {
    const own = odd.filter((one) => one.what === what);
    const first = own[0] as Odd;
    const requests = [...new Set(own.map(({ page }) => nameOf(page)))];
    const labels = [...new Set(own.map(({ label }) => label))];
    const who = labels.length < variants ? ` on ${listNames(labels)}` : '';
    const look = requests.length > 1 ? 'look' : 'looks';
    const printed = showSetUp(first.said);
    return {
      code: 'looks-unfinished',
      message: `${listNames(requests)}${who} ${look} like ${what} (${showHead(first.page)}): the numbers are those of this page, not of the app`,
      remedy: `${printed && `${printed}; `}${first.remedy}, and compare the title after 'checked:' with that of the page in a browser. If the page is right, ignore this warning`,
      variant: null,
    };
  });
}

/** A `set-up` that changed nothing may have ended well all the same. */
export const showSetUp = (said: string | null | undefined) =>
  said ? `\`set-up\` did not fail, but printed '${cut(cleanLine(said), MOST.said)}'` : '';

const showHead = ({ status, title, text, location }: CheckedPage) =>
  `HTTP ${status}${title === null ? '' : ` "${title}"`}${text ? ` '${text}'` : ''}${location && ` to ${location}`}`;

/** Text from elsewhere in our line, characters. */
const MOST = { said: 300, endpoint: 200, type: 80, location: 200, title: 120, read: 2000 } as const;

function describePage(
  endpoint: string,
  journey: string | null,
  variant: string,
  answer: Answer,
): CheckedPage {
  const bytes = bytesOf(answer);
  const title = readTitle(answer.body);
  const text =
    title === null && answer.type.startsWith('text/html') ? readLine(answer.body.slice(0, MOST.read)) : '';
  return {
    endpoint: cut(endpoint, MOST.endpoint),
    journey,
    variants: [variant],
    status: answer.status,
    type: cut(cleanLine(answer.type.split(';')[0] ?? ''), MOST.type),
    location: cut(cleanLine(answer.location), MOST.location),
    title,
    ...(text && { text }),
    bytes: [bytes, bytes],
  };
}

/** Bounded, so that no page takes long to read. */
const TITLE = /<title(?:\s[^<>]{0,500})?>([^<]{0,2000})<\/title\s*>/i;

/** The title of a page of HTML; null if there is none. */
export function readTitle(body: string): string | null {
  return readLine(TITLE.exec(body)?.[1] ?? '') || null;
}

/** Its first words. */
const readLine = (html: string): string => cut(cleanLine(readHtml(html)), MOST.title);

/** The size of the uncompressed body. The header is more exact for an image, as k6 gives text. */
function bytesOf({ headers = '', body, characters = body.length }: Answer): number {
  const length = /^content-length: (\d{1,15})$/im.exec(headers)?.[1];
  if (length !== undefined && !/^content-encoding:/im.test(headers)) return Number(length);
  return Math.round(Buffer.byteLength(body) * (characters / Math.max(1, body.length)));
}
