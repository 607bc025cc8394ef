import { listNames } from '../../text/plain.ts';
import { findUnlike, makeTemplate, type Template } from './template.ts';
import { findUnfinished } from './unfinished.ts';

/** Same-answer check: before load, every variant of an app has to answer alike. Pure. */

export interface Answer {
  /** 0: no answer at all. */
  status: number;
  error: string;
  type: string;
  location: string;
  /** When it was asked, or its journey began, unix ms by the engine's clock. */
  askedMs?: number;
  /** A line each. */
  headers?: string;
  /** The body as a person reads it, cut. */
  text?: string;
  /** The length of the whole body. */
  characters?: number;
  /** The whole of it, or its beginning. */
  body: string;
  /** The journey's objections to it, as the kinds of error that it counts under load. */
  fault?: string;
  /** The endpoints that its journey never requests, as it stops at this answer. */
  unreached?: readonly string[];
}

/** The answers of one variant to the same request. */
export interface Asked {
  variant: string;
  /** For people: `GET /`. */
  request: string;
  /** A refusal is an answer like any other: the load does not ask for it, or its journey expects it. */
  mayRefuse?: boolean;
  /** So is no answer at all, if no variant gives one: a k6 script may never ask for it. */
  mayBeMute?: boolean;
  /** The body names the server: status, type and location are compared with each other, no more. */
  headOnly?: boolean;
  /** At least one, the latest first. They may be of several fresh starts. */
  answers: readonly Answer[];
}

/** One variant's answer to one request, with the rules to judge it. */
export type Reply = Pick<Asked, 'mayRefuse' | 'mayBeMute' | 'headOnly'> & {
  endpoint: string;
  answer: Answer;
};

/** Everything that was asked once: variant id → request → reply. */
export type Round = Map<string, Map<string, Reply>>;

/** A fault in a variant's answers. */
export interface Fault {
  reason: string;
  /** `wrong`, `away` (a redirect to another address): by itself. `status`, `head`, `body`: not what `model` answers, in that part and in none before it. */
  kind: 'wrong' | 'away' | 'status' | 'head' | 'body';
  /** The variant whose answers count as right. */
  model: string | null;
  /** Further requests that the variant surely answers wrongly, each with how: `GET /a (HTTP 404)`. */
  others: readonly string[];
}

/** The gravest first: `same-answers` and `mask` may allow the last ones. */
const GRAVITY: readonly Fault['kind'][] = ['wrong', 'away', 'status', 'head', 'body'];

/**
 * Finds the variants that answer differently from most, or wrongly, each with the first of its gravest faults and the names
 * of others.
 *
 * Differences among a variant's own answers are masked. Tokens and random numbers change with each request, the time at
 * which a page was cached with each start. Status, content type, location and the rest of the body have to be the same
 * on all. With no majority, the first variant's answers count as right.
 *
 * @param host the Host header of the requests: some servers redirect to `/a/`, others to `http://<host>/a/`
 */
export function findDifferent(asked: readonly Asked[], host: string): Map<string, Fault> {
  const found = new Map<string, Found[]>();
  const add = (variant: string, fault: Found) => found.set(variant, [...(found.get(variant) ?? []), fault]);
  const mute = findMute(asked);
  for (const request of new Set(asked.map((a) => a.request))) {
    if (mute.has(request)) continue;
    const good: Shape[] = [];
    for (const one of asked.filter((a) => a.request === request)) {
      const bad = one.answers.find((a) => isBad(a, one));
      const away = one.headOnly ? undefined : one.answers.find((a) => leadsAway(a, one, host));
      const wrong = bad ?? away;
      if (wrong) {
        const [kind, why] = bad ? (['wrong', blame(bad)] as const) : (['away', tellAway(wrong)] as const);
        add(one.variant, {
          reason: `${request} ${why}`,
          kind,
          model: null,
          brief: `${request} (${label(wrong)})`,
        });
      } else good.push(shapeOf(one, `http://${host}`));
    }
    const groups: Shape[][] = [];
    for (const one of good) {
      const group = groups.find((g) => compareShapes(g[0] as Shape, one) === null);
      if (group) group.push(one);
      else groups.push([one]);
    }
    const right = groups.reduce<Shape[]>((a, b) => (b.length > a.length ? b : a), []);
    const model = right[0];
    if (!model) continue;
    for (const one of good) {
      if (right.includes(one)) continue;
      const different = compareShapes(model, one);
      // Masks of several answers may fit one and not each other.
      if (different === null) continue;
      const reason = `${request} answers differently from ${model.variant}: ${different.reason}`;
      add(one.variant, { ...different, reason, model: model.variant, brief: `${request} (differs)` });
    }
  }
  return new Map([...found].map(([variant, all]) => [variant, chooseGravest(all)]));
}

/** The requests that no variant answers, nor has to, such as one for a stream without end. */
export function findMute(asked: readonly Asked[]): Set<string> {
  const isJudged = ({ answers, mayBeMute }: Asked) =>
    !mayBeMute || answers.some(({ status }) => status !== 0);
  const judged = new Set(asked.filter(isJudged).map(({ request }) => request));
  return new Set(asked.map(({ request }) => request).filter((request) => !judged.has(request)));
}

const label = ({ status, fault }: Answer): string =>
  status === 0 ? 'no answer' : fault === 'wrong answer' ? fault : `HTTP ${status}`;

/** Nothing allows them. */
const SURE: readonly Fault['kind'][] = ['wrong', 'away', 'status'];

/** With its request and the kind of its answer, in a list of several. */
type Found = Omit<Fault, 'others'> & { brief: string };

function chooseGravest(all: readonly Found[]): Fault {
  const rank = ({ kind }: Found) => GRAVITY.indexOf(kind);
  const gravest = all.reduce((a, b) => (rank(b) < rank(a) ? b : a));
  // Bodies get a second start only if nothing graver is wrong, and `same-answers: warn` allows other heads.
  const isSure = ({ kind }: Found) => kind === gravest.kind || SURE.includes(kind);
  const others = all.filter((one) => one !== gravest && isSure(one));
  const { brief: _, ...fault } = gravest;
  return { ...fault, others: others.map(({ brief }) => brief) };
}

/** A list of paths can be long. */
const MOST_NAMED = 10;

/** `; also wrong: GET /a (HTTP 404)`, to end a reason with; empty if there are none. */
export function sayFurther({ others }: Pick<Fault, 'others'>): string {
  if (others.length === 0) return '';
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  return `; also wrong: ${others.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/**
 * The requests that are answered by a redirect, with where it leads: it is not followed, so it is what is loaded. Without
 * those to an installer: `looks-unfinished` warns of these, and its target is no page to measure.
 */
export function findRedirects(asked: readonly Asked[]): Map<string, string> {
  const redirects = asked.filter(
    ({ answers: [first], mayRefuse }) =>
      !mayRefuse &&
      first &&
      first.status >= 300 &&
      first.status < 400 &&
      first.location !== '' &&
      findUnfinished({ title: null, location: first.location, body: first.body }) === null,
  );
  return new Map(redirects.map(({ request, answers }) => [request, answers[0]?.location ?? '']));
}

/** The setting with which an app does not redirect to its own name, or to https. */
export function sayElsewhere(location: string, host: string): string {
  const target = URL.parse(location, `http://${host}/`);
  if (target === null) return '';
  const toName =
    target.hostname === host ? '' : `. If that is the app's own name, set \`host: ${target.hostname}\``;
  const toHttps =
    target.protocol === 'https:'
      ? '. For its redirects to https, set `headers: { X-Forwarded-Proto: https }` as a load balancer does, or turn them off in the app'
      : '';
  return `${toName}${toHttps}`;
}

/** Whether it redirects to another name or port, or to the same page over https: then the app is not what is loaded. */
function leadsAway({ status, location }: Answer, { request, mayRefuse }: Asked, host: string): boolean {
  if (mayRefuse || status < 300 || status >= 400 || location === '') return false;
  const target = URL.parse(location, `http://${host}/`);
  if (target === null) return false;
  const isSamePage = request === `GET ${target.pathname}${target.search}`;
  return target.host !== host || (target.protocol === 'https:' && isSamePage);
}

const tellAway = ({ location }: Answer): string => `redirects to ${location.slice(0, 200)}, another address`;

/** The name of a login form in a query, such as `?action=login`: an app with one path redirects to it there. */
const LOGIN_QUERY = /log-?[io]n|sign-?in|auth/i;

/** An app that checks for cookies sets one and redirects to the same path: without the cookie, its target is no page. */
export function sayCookieCheck(asked: readonly Asked[]): string {
  for (const { request, answers } of asked) {
    const { status = 0, location = '', headers = '' } = answers[0] ?? {};
    const [, cookie] = /^set-cookie: ([^=;\s]+=[^;\s]*)/im.exec(headers) ?? [];
    const path = /^GET ([^?]+)/.exec(request)?.[1];
    if (status < 300 || status >= 400 || cookie === undefined || path === undefined) continue;
    const target = URL.parse(location, `http://app.test${path}`);
    if (target?.pathname === path && !LOGIN_QUERY.test(target.search))
      return `; ${request} may check for cookies: if so, set \`headers\` to such as 'Cookie: ${cookie}'`;
  }
  return '';
}

function isBad({ status, fault }: Answer, { mayRefuse }: Asked): boolean {
  return status === 0 || fault !== undefined || (status >= 400 && !mayRefuse);
}

/** In the words of k6. */
const TIMED_OUT = 'request timeout';
const SLOW = 'if the page takes that long, set a longer `timeout`';

function blame({ status, error, fault, location, unreached = [] }: Answer): string {
  if (status === 0) return `did not answer: ${error}${error === TIMED_OUT ? `; ${SLOW}` : ''}`;
  if (unreached.length > 0) {
    const to = location && ` to ${location.slice(0, 200)}`;
    return `answers HTTP ${status}${to}, and its journey never requests ${listNames(unreached)}`;
  }
  return fault === 'wrong answer' ? 'gives a wrong answer' : `answers HTTP ${status}`;
}

interface Shape extends Pick<Answer, 'status' | 'location'> {
  variant: string;
  type: ContentType;
  /** The same without the app's own origin, and without what differs among the variant's own answers, such as a token. */
  target: Template;
  /** Null where the body names the server. */
  body: Template | null;
}

function shapeOf({ variant, answers, headOnly = false }: Asked, origin: string): Shape {
  const { status, location, type } = answers[0] as Answer;
  const body = headOnly ? null : makeTemplate(answers.map((answer) => answer.body));
  const targets = answers.map((answer) => answer.location);
  const target = makeTemplate(
    targets.map((to) => (to.startsWith(`${origin}/`) ? to.slice(origin.length) : to)),
  );
  return { variant, status, location, target, type: readType(type), body };
}

interface ContentType {
  name: string;
  /** Empty if none is given. */
  charset: string;
}

/** Other names that web servers use for a content type: each server has a table of its own. */
const ALIASES: Readonly<Record<string, string>> = {
  '': 'application/octet-stream',
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'application/xml': 'text/xml',
  'application/font-woff': 'font/woff',
  'image/vnd.microsoft.icon': 'image/x-icon',
};

function readType(header: string): ContentType {
  const [name = '', ...parameters] = header.toLowerCase().replaceAll(' ', '').split(';');
  const charset = parameters.find((parameter) => parameter.startsWith('charset=')) ?? '';
  return { name: ALIASES[name] ?? name, charset };
}

/** Some servers send a charset for files of text, others none. */
function isSameHead(a: Shape, b: Shape): boolean {
  const sameCharset = a.type.charset === b.type.charset || a.type.charset === '' || b.type.charset === '';
  const sameType = a.type.name === b.type.name && sameCharset;
  return a.status === b.status && sameType && findUnlike(a.target, b.target) === null;
}

function describeHead({ status, type: { name, charset }, location }: Shape): string {
  return [`HTTP ${status}`, [name, charset].filter(Boolean).join(';'), location].filter(Boolean).join(', ');
}

/** The difference, for people; null if the two are alike. */
function compareShapes(a: Shape, b: Shape): Pick<Fault, 'kind' | 'reason'> | null {
  if (!isSameHead(a, b)) {
    const kind = a.status === b.status ? 'head' : 'status';
    return { kind, reason: `${describeHead(b)} instead of ${describeHead(a)}` };
  }
  const reason = a.body && b.body && findUnlike(a.body, b.body);
  return reason === null ? null : { kind: 'body', reason };
}
