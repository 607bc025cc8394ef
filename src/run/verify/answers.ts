import type { PlannedVariant } from '../../plan/variants.ts';
import type { Failure, Warning } from '../../results/results.ts';
import { ITS_LOG } from '../../text/log-cause.ts';
import type { Server } from '../servers/servers.ts';
import type { World } from '../world.ts';
import { explainFailure } from './app-evidence.ts';
import { appOf, askOften, type Learned, learn, warnOfStarts } from './learned.ts';
import { maskAnswers } from './mask.ts';
import { describePages, findOneSided, showSetUp } from './pages.ts';
import { askAll, expectMachines, pathsOf } from './requests.ts';
import {
  type Answer,
  type Asked,
  type Fault,
  findDifferent,
  findMute,
  findRedirects,
  type Reply,
  type Round,
  sayCookieCheck,
  sayElsewhere,
  sayFurther,
} from './verify.ts';

/** Findings about the variants' answers so far. */
export interface KnownAnswers {
  /** Those that were right, of one fresh start each, the latest first. */
  rounds: Round[];
  /** The variants whose difference was reported. */
  reported: Set<string>;
  /** Answers that are allowed under load. */
  learned: Learned;
}

/** Actions on servers that a check may take. */
interface Hands {
  fail(variant: string, failure: Failure): void;
  /** Starts these variants freshly once more; those that come up. */
  restart(variants: readonly string[]): Promise<Server[]>;
}

/**
 * Fails the variants of an app that answer differently from its others, or wrongly, to what the scenarios ask. If the
 * answers of one are not known yet, everything is asked twice. From then on once: what differs from the answers known
 * is masked, as it differs from start to start. Everything is asked again only if that looks wrong. If only bodies
 * differ, those variants start once more, to learn what differs between two starts of one. Gives the servers as they
 * are then.
 */
export async function checkAnswers(
  world: World,
  servers: readonly Server[],
  known: KnownAnswers,
  hands: Hands,
): Promise<readonly Server[]> {
  const isFirst = known.rounds.length === 0;
  const isKnown = servers.every(({ variant }) => known.rounds.some((round) => round.has(variant.id)));
  const sound = isKnown ? await soundRight(world, servers, known) : null;
  if (sound !== null) {
    learnFrom(world, known, servers, [sound]);
    return servers;
  }
  const [first, readable] = await askEach(world, servers, hands);
  // All once, before any is asked again: a time that is the same in both answers of a variant, is then the same in others'.
  const [second, answering] = await askEach(world, readable, hands);
  let rounds = [second, first];
  let current = answering;
  const { host } = world.job.config;
  const judge = () => pair(world, current, rounds).flatMap((ofApp) => [...findDifferent(ofApp, host)]);
  let faults = judge();
  if (known.rounds.length > 0 && doubtsOf(faults).length > 0) {
    rounds = [...rounds, ...known.rounds];
    faults = judge();
  }
  known.rounds = [second];
  const doubts = doubtsOf(faults);
  if (doubts.length > 0) {
    const labels = current.filter(({ variant }) => doubts.includes(variant.id)).map((s) => s.variant.label);
    world.sink.say(
      `answers differ; starting ${labels.join(', ')} again to learn which parts differ between starts`,
    );
    const again = await hands.restart(doubts);
    const [third, there] = await askEach(world, again, hands);
    rounds = [third, ...rounds];
    known.rounds = [third, second];
    current = current.flatMap((server) =>
      doubts.includes(server.variant.id)
        ? there.filter(({ variant }) => variant.id === server.variant.id)
        : server,
    );
    faults = judge();
  }
  const asked = pair(world, current, rounds).flat();
  const failed = await report(world, current, known, hands, asked, faults);
  const unfailed = () => current.filter(({ variant }) => !failed.has(variant.id));
  if (isFirst) for (const id of await failOneSided(world, unfailed(), rounds, hands)) failed.add(id);
  const right = unfailed();
  learnFrom(world, known, right, rounds, isFirst);
  if (isFirst) await askOften(world, known.learned, right, pathsOf(world.job.config.scenarios));
  if (isFirst) {
    const pages = describePages(right, rounds, ({ id }) => world.job.outcomes.get(id)?.setUpSaid);
    world.sink.keepChecked(pages.checked);
    for (const warning of pages.warnings) world.sink.warn(warning);
    warnOfRedirects(world, asked);
    for (const request of findMute(asked))
      world.sink.say(`${request} gets no answer from any variant: it is not compared`);
  }
  return current;
}

function learnFrom(
  world: World,
  known: KnownAnswers,
  servers: readonly Server[],
  rounds: readonly Round[],
  isFirst = false,
): void {
  const ignored = learn(known.learned, servers, rounds, isFirst, world.job.config.mask);
  const warning = warnOfStarts(ignored);
  if (warning === null || known.reported.has(warning.code)) return;
  known.reported.add(warning.code);
  world.sink.warn(warning);
}

/** The variants whose answers differ in their bodies alone, and those that they differ from. */
function doubtsOf(faults: readonly (readonly [string, Fault])[]): string[] {
  const found = faults.flatMap(([id, { kind, model }]) => (kind === 'body' && model ? [id, model] : []));
  return [...new Set(found)];
}

/** Each variant by itself: one that answers without end must not take the others' answers with it. */
async function askEach(
  world: World,
  servers: readonly Server[],
  { fail }: Hands,
): Promise<[Round, Server[]]> {
  const round: Round = new Map();
  const answered: Server[] = [];
  for (const server of servers) {
    try {
      for (const [id, replies] of await askAll(world, [server])) round.set(id, replies);
      answered.push(server);
    } catch (error) {
      await expectMachines(world.engine, error);
      const reason = `its answers cannot be read: ${(error as Error).message}`;
      fail(server.variant.id, { stage: 'verify', reason, log: '' });
    }
  }
  return [round, answered];
}

async function report(
  world: World,
  servers: readonly Server[],
  { reported }: KnownAnswers,
  { fail }: Hands,
  asked: readonly Asked[],
  faults: readonly (readonly [string, Fault])[],
): Promise<Set<string>> {
  const failed = new Set<string>();
  for (const [id, fault] of faults) {
    const { kind, reason } = fault;
    const others = sayFurther(fault);
    const server = servers.find((server) => server.variant.id === id) as Server;
    const { variant } = server;
    if (world.job.config.sameAnswers === 'warn' && (kind === 'head' || kind === 'body')) {
      if (!reported.has(id)) world.sink.warn(differs(id, `${variant.label}: ${reason}${others}`));
      reported.add(id);
      continue;
    }
    const answer = findAnswer(asked, id, reason);
    const failure = await explainFailure(world.engine, world.sink, server, 'verify', reason, answer);
    const { setUp, host } = world.job.config;
    const stored = setUp !== undefined && reason.includes(`:${server.port}`) ? storedAddress(host) : '';
    const remedies: Partial<Record<Fault['kind'], string>> = {
      away: `${sayElsewhere(answer?.location ?? '', host)}${stored || AWAY}`,
      body: `${MASKABLE}${stored}`,
      head: TOLERABLE,
    };
    const rules = failure.reason.includes(ITS_LOG) ? '' : sayHtaccess(variant, servers, faults);
    const remedy = `${remedies[kind] ?? ''}${rules}`;
    const printed = kind === 'wrong' ? showSetUp(world.job.outcomes.get(id)?.setUpSaid) : '';
    fail(id, { ...failure, reason: `${failure.reason}${others}${printed && `. ${printed}`}${remedy}` });
    failed.add(id);
  }
  return failed;
}

/** A comparison with what is no page of the app would be of different work. */
async function failOneSided(
  world: World,
  servers: readonly Server[],
  rounds: readonly Round[],
  { fail }: Hands,
): Promise<Set<string>> {
  const found = world.job.config.sameAnswers === 'warn' ? new Map() : findOneSided(servers, rounds);
  for (const [id, { reason, remedy }] of found) {
    const server = servers.find(({ variant }) => variant.id === id) as Server;
    const answer = findAnswer(pair(world, [server], rounds).flat(), id, reason);
    const failure = await explainFailure(world.engine, world.sink, server, 'verify', reason, answer);
    fail(id, { ...failure, reason: `${failure.reason}. Remedy: ${remedy}${TOLERABLE}` });
  }
  return new Set(found.keys());
}

/** The answer that a reason is about: the latest that is wrong by itself, or else the latest. */
function findAnswer(asked: readonly Asked[], variant: string, reason: string): Answer | null {
  const about = asked.filter((one) => one.variant === variant && reason.startsWith(`${one.request} `));
  const [one] = about.sort((a, b) => b.request.length - a.request.length);
  const isBad = ({ status, fault }: Answer) => status === 0 || status >= 400 || fault !== undefined;
  return one?.answers.find(isBad) ?? one?.answers[0] ?? null;
}

const AWAY = '. To measure the redirect itself, set `verify: status` in a scenario';
const TOLERABLE = '. If both are right, set `same-answers: warn`';
const MASKABLE =
  ', even after a second start. If both are right, set `mask` for the parts that may differ, or set `same-answers: warn`';

/** An app that was installed through its port has kept that address. */
const storedAddress = (host: string) =>
  `. If the app has stored its address in \`set-up\`, send the header 'Host: ${host}' there`;

/** A remedy: rules of its app, if those that obey them are right and the others wrong, or the other way round. */
export function sayHtaccess(
  variant: PlannedVariant,
  servers: readonly Server[],
  faults: readonly (readonly [string, Fault])[],
): string {
  const { htaccess } = variant.app;
  if (htaccess === undefined) return '';
  const obeys = ({ runtime }: PlannedVariant) => runtime.htaccess ?? false;
  const all = servers.map((server) => server.variant).filter((one) => appOf(one) === appOf(variant));
  const isWrong = ({ id }: PlannedVariant) => faults.some(([wrong]) => wrong === id);
  const right = all.find((one) => !isWrong(one));
  const isReason = all.every((one) => isWrong(one) === (obeys(one) === obeys(variant)));
  if (right === undefined || !isReason) return '';
  const [one, other] = obeys(variant) ? [variant, right] : [right, variant];
  return `. ${one.label} obeys ${htaccess}, ${other.label} does not: if that is the reason, choose another path, or compare servers that obey it`;
}

function differs(variant: string, message: string): Warning {
  return {
    code: 'answers-differ',
    message,
    remedy:
      'its numbers may be for different work; if both are right, set `mask` for the parts that may differ',
    variant,
  };
}

function warnOfRedirects(world: World, asked: readonly Asked[]): void {
  const found = findRedirects(asked);
  const redirects = [...found].map(([request, to]) => `${request} to ${to.slice(0, 200)}`);
  if (redirects.length === 0) return;
  // A step is `home (shop)`. The requests of a bundled journey are fixed, and `paths` would take its place.
  const way = [...found.keys()].every((request) => / \(\S+\)$/.test(request))
    ? 'write a k6 script that requests the target pages'
    : 'put the target pages into paths; for a login use a k6 script';
  world.sink.warn({
    code: 'redirect',
    message: `the load measures redirects, not their targets: ${redirects.slice(0, 5).join(', ')}`,
    remedy: `${way}${sayCookieCheck(asked)}. If the redirect is what you want to measure, ignore this warning`,
    variant: null,
  });
}

async function soundRight(
  world: World,
  servers: readonly Server[],
  known: KnownAnswers,
): Promise<Round | null> {
  try {
    const round = await askAll(world, servers);
    const isRight = pair(world, servers, [round, ...known.rounds]).every(
      (asked) => findDifferent(asked, world.job.config.host).size === 0,
    );
    return isRight ? round : null;
  } catch {
    world.engine.signal.throwIfAborted();
    return null;
  }
}

/** The reply of a variant whose journey took another way. */
const UNASKED: Reply = {
  endpoint: '',
  answer: { status: 0, error: 'its journey took a different path', type: '', location: '', body: '' },
};

/** All rounds of each variant, by app and ref: only those of the same are compared with each other. */
function pair({ job }: World, servers: readonly Server[], rounds: readonly Round[]): Asked[][] {
  const idsOf = new Map<string, string[]>();
  for (const { variant } of servers) {
    const app = appOf(variant);
    idsOf.set(app, [...(idsOf.get(app) ?? []), variant.id]);
  }
  return [...idsOf.values()].map((ids) => {
    const requestsOf = (id: string) => rounds.flatMap((round) => [...(round.get(id)?.keys() ?? [])]);
    const requests = new Set(ids.flatMap(requestsOf));
    return ids.flatMap((variant) =>
      [...requests].map((request): Asked => {
        // Not every variant is in each round: some were not started again.
        const replies = rounds.flatMap((round) => {
          const ofVariant = round.get(variant);
          return ofVariant ? (ofVariant.get(request) ?? UNASKED) : [];
        });
        const { answer: _, endpoint: __, ...rules } = replies[0] ?? UNASKED;
        const given = replies.map(({ answer }) => answer);
        return { ...rules, variant, request, answers: maskAnswers(given, job) };
      }),
    );
  });
}
