import { UserError } from '../errors.ts';
import { quote, refuse } from './text.ts';
import type { LoadFrom } from './types.ts';

const ALLOWED =
  "the name of a Docker context, ssh://[user@]host[:port], tcp://host:port or a socket's absolute path";
/** Nothing in it can be taken for an option of ssh or for a second word. */
const HOST = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]+\])$/;
const CONTEXT = /^[A-Za-z0-9][A-Za-z0-9_.+-]{0,252}$/;
const SOCKET = /^\/[A-Za-z0-9._/@+-]{1,500}$/;

/**
 * An engine as docker takes it: the name of a context, or a URL as in DOCKER_HOST. A path becomes the URL of its socket.
 * Whether there is such an engine, the run asks. Throws a UserError.
 */
export function parseEngine(text: string): string {
  if (text.startsWith('/')) return parseEngine(`unix://${text}`);
  const url = /^([a-z]+):\/\/(.*)$/s.exec(text);
  if (!url) {
    if (CONTEXT.test(text)) return text;
    throw refuse('not a Docker engine', text, ALLOWED);
  }
  const [, scheme, rest = ''] = url;
  const fits =
    scheme === 'unix'
      ? SOCKET.test(rest)
      : scheme === 'tcp' || scheme === 'ssh'
        ? isRemote(scheme, rest)
        : false;
  if (!fits) throw refuse('not the address of a Docker engine', text, ALLOWED);
  return text;
}

function isRemote(scheme: 'tcp' | 'ssh', rest: string): boolean {
  const parts = /^(?:([^@/]*)@)?(\[[^\]]*\]|[^:/@]*)(?::(\d{1,5}))?(\/.*)?$/.exec(rest);
  if (!parts) return false;
  const [, user, host = '', port, path] = parts;
  if (!HOST.test(host) || (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)))
    return false;
  if (scheme === 'tcp') return user === undefined && port !== undefined && path === undefined;
  return (user === undefined || /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(user)) && path === undefined;
}

/** The same rule everywhere: a context's name has no `://`. */
export const isEngineUrl = (engine: string): boolean => engine.includes('://');

/** The name of an engine in reports: without the user's name, which is private. */
export const nameEngine = (engine: string): string => engine.replace(/^ssh:\/\/[^@/]*@/, 'ssh://');

/** For callers that work with one engine at most. Errors: UserError if several are asked for. */
export function refuseEngines({ engines }: { engines?: readonly string[] }, hint: string): void {
  if (!engines) return;
  throw new UserError('works with the command `run` alone', { where: { name: 'engines' }, hint });
}

const NAME = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** With a host: docker takes a name without one for a repository of Docker Hub. */
const REPOSITORY = new RegExp(
  `^(?:(?:${NAME})(?:\\.${NAME})+|localhost|${NAME}(?=:))(?::\\d{1,5})?(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)+$`,
);

/** A repository for images, without a tag. Throws a UserError. */
export function parseRegistry(text: string): string {
  if (text.length <= 200 && REPOSITORY.test(text)) return text;
  const allowed =
    'host and repository without a tag, such as registry.example.com/bench or docker.io/me/bench';
  throw refuse('not a repository in a registry', text, allowed);
}

/** An address that a port can be bound to. Throws a UserError. */
export function parseAddress(text: string): string {
  const parts = text.split('.').map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256));
  const [first = 0] = parts;
  // Some programs read a leading zero as an octal number.
  const isAddress = parts.length === 4 && parts.every((part) => part < 256) && parts.join('.') === text;
  // All addresses at once would open the servers to networks that no load comes from. From 224 on are groups of machines.
  if (isAddress && first !== 0 && first !== 127 && first < 224) return text;
  throw refuse('not an IPv4 address that other machines reach', text, 'such as 10.0.0.5');
}

const MOST_ENGINES = 32;

/** Both or none of them, and no engine twice. Throws a UserError. */
export function readLoadFrom(
  engines: readonly string[] | undefined,
  address: string | undefined,
): LoadFrom | undefined {
  if (engines === undefined && address === undefined) return undefined;
  if (engines === undefined || address === undefined) {
    const [given, missing] = engines ? ['load-engines', 'load-address'] : ['load-address', 'load-engines'];
    throw new UserError(`\`${given}\` needs \`${missing}\``, {
      hint: '--load-engines bench-b,bench-c --load-address 10.0.0.5',
    });
  }
  const twice = engines.find((engine, i) => engines.indexOf(engine) !== i);
  const where = { name: 'load-engines' };
  if (twice !== undefined) throw new UserError('engine given twice', { where, found: quote(twice) });
  if (engines.length < 1 || engines.length > MOST_ENGINES)
    throw new UserError('wrong number of load engines', {
      where,
      found: String(engines.length),
      allowed: `1 to ${MOST_ENGINES}`,
    });
  return { engines, address };
}
