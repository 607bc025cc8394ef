import { join } from 'node:path';
import type { Files } from '../config/files.ts';

/** The file beside composer.json that Composer reads credentials from. */
export const AUTH_FILE = 'auth.json';

/** Its keys, of which other programs' files of that name have none. */
const KINDS =
  /^(http-basic|bearer|(github|gitlab|bitbucket)-oauth|(gitlab|forgejo)-token|gitlab-domains|client-certificate|custom-headers)$/;

/** The credentials in an app's auth.json; null: that is no file of Composer's. One that cannot be read may be. */
export function readAuth(folder: string, files: Files): Record<string, object> | null {
  if (files.kind(join(folder, 'composer.json')) !== 'file') return null;
  const text = files.read(join(folder, AUTH_FILE));
  if (text === null) return null;
  try {
    const found = Object.entries(JSON.parse(text.replace(/^\uFEFF/, '')) ?? {});
    const own = found.filter((entry): entry is [string, object] => KINDS.test(entry[0]));
    return own.length > 0 ? Object.fromEntries(own) : null;
  } catch {
    return {};
  }
}

/**
 * The credentials of Composer for the builds of some apps: those of `COMPOSER_AUTH`, then those in the auth.json of each app.
 * That file is hardly ever in git, so it serves other commits, too.
 *
 * @returns what `COMPOSER_AUTH` is to hold; undefined: there are none
 */
export function findAuth(
  folders: readonly string[],
  variable: string | undefined,
  files: Files,
): string | undefined {
  const all = folders.flatMap((folder) => readAuth(folder, files) ?? []);
  const own = all.filter((one) => Object.keys(one).length > 0);
  if (own.length === 0) return variable || undefined;
  try {
    const given: Record<string, object> = variable ? JSON.parse(variable) : {};
    const merged: Record<string, object> = {};
    for (const one of [given, ...own])
      for (const [kind, hosts] of Object.entries(one)) merged[kind] = { ...hosts, ...merged[kind] };
    return JSON.stringify(merged);
  } catch {
    return variable;
  }
}

/** Shorter ones would be found in what has nothing to do with them. */
const SHORTEST = 6;

/**
 * Makes a function that masks the tokens and passwords of `COMPOSER_AUTH` in a text. A script of the app may print them
 * during the build. That output goes into results and comments, where no runner masks secrets. A hostile script can
 * evade this: it need only reverse them.
 *
 * @param auth what the variable holds: JSON, or anything else by mistake; undefined: there is none
 */
export function makeMask(auth: string | undefined): (text: string) => string {
  const secrets = readSecrets(auth?.trim() ?? '').filter(({ length }) => length >= SHORTEST);
  // One may be a part of another.
  secrets.sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** All texts in it but names of users. */
function readSecrets(auth: string): string[] {
  const found: string[] = [];
  try {
    JSON.parse(auth, (key, value) => {
      if (typeof value === 'string' && key !== 'username') found.push(value);
      return value;
    });
    return found;
  } catch {
    // Composer will report that it is no JSON. A log has its lines apart.
    return auth.split(/\s*\n\s*/);
  }
}

/**
 * Up to the last `@` of a word: a password may contain one. The digest of an image stands behind one, too. A user without a
 * password may be a token: it counts only behind `http://`, as other texts have addresses such as ssh://user@host.
 */
const USER = /(?<=https?:\/\/)[^\s/?#'"]+@(?!sha256:)|[^\s/@:'"]+:[^\s/'"]*@(?!sha256:)/gi;

/** Takes users and passwords out of addresses, such as that of a proxy: who prints them does not know what they are. */
export function maskUsers(text: string): string {
  return text.replaceAll(USER, '***@');
}
