/**
 * The name under which an app is asked, and how k6 finds the variant behind it. Pure.
 *
 * Every request carries the same Host header, as apps redirect, link and set cookies by it. Variants listen on ports of
 * their own at 127.0.0.1, which is nobody's business but k6's.
 */

/** Headers of every request to an app. */
export interface Sent {
  /** Host header. */
  host: string;
  /** Other headers, by canonical name; left out: none. Values may be secrets. */
  headers?: Readonly<Record<string, string>>;
}

/** The one place from which the configured headers reach all that ask an app. */
export function sentBy({ host, headers }: Sent): Sent {
  return { host, ...(headers && { headers }) };
}

/** The address where every variant listens, as k6 in the arena sees it. */
const ADDRESS = '127.0.0.1';

/** `app.test:8080` → its name. */
export function hostName(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** The address of a variant for requests that name the host themselves: those to several variants differ by port. */
export function addressOf(host: string, port: number): string {
  return `http://${hostName(host)}:${port}`;
}

/**
 * k6's option `hosts`. The name is the arena's on each port, so that an app with the name of a real site sends no request to
 * that site. With `port` a script asks the variant there by the name alone.
 */
export function hostsOf(host: string, port?: number, address = ADDRESS): Record<string, string> {
  const all = { [hostName(host)]: address };
  if (port === undefined) return all;
  return { ...all, [host === hostName(host) ? `${host}:80` : host]: `${address}:${port}` };
}
