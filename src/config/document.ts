import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import * as z from 'zod';
import { type Place, UserError } from '../errors.ts';
import type { Files } from './files.ts';
import { displayPath, escapeText, quote, suggest } from './text.ts';

type Path = readonly PropertyKey[];

/**
 * Maps, lists and texts from a file, from flags or from inputs, and where each of them stands.
 * Every scalar is the text that the user wrote (`8.10` stays `8.10`), so that all sources have one set of parsers.
 */
export interface Document {
  data: unknown;
  /** The place of the value at a path, or of its key. A path that was not written has the place around it. */
  place(path: Path, part?: 'key'): Place;
  /** `slo.p99: ` before a message, unless the place has it already. */
  prefix(path: Path): string;
}

/** Bytes of UTF-16, of a legacy encoding or of no text become these. */
const UNREADABLE = /[\0\uFFFD]/;
/** How such files come about. */
export const TO_SAVE = 'save it as UTF-8; PowerShell writes UTF-16 unless it has -Encoding utf8';
const MAX_NODES = 20_000;

/** Reads a YAML file of the disk; in messages it goes by its path from the current folder where it lies below it. */
export function readYamlFile(path: string, cwd: string, files: Files): Document {
  const name = displayPath(path, cwd);
  const text = files.read(path);
  if (text === null) throw new UserError('cannot be read', { where: { name } });
  const bad = text.split('\n').findIndex((line) => UNREADABLE.test(line));
  if (bad >= 0) {
    throw new UserError('not UTF-8', { where: { name, line: bad + 1 }, hint: TO_SAVE });
  }
  return readYaml(name, text);
}

/** Reads YAML; syntax errors, duplicate keys and the like become a UserError with file and line. */
export function readYaml(name: string, text: string): Document {
  const lines = new LineCounter();
  // Unique keys are checked below: the library compares each with each, minutes for a large hostile file.
  const yaml = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const placeAt = (offset: number): Place => ({ name, line: lines.linePos(offset).line });
  const [problem] = yaml.errors;
  if (problem) throw refuseSyntax(problem.message, placeAt(problem.pos[0]), text);
  const targets = findTargets(yaml);
  const places = new Map<string, { key?: number; value: number }>();
  let nodes = 0;

  const walk = (node: Node | null, path: Path, around: number): unknown => {
    const at = node?.range?.[0] ?? around;
    const known = places.get(id(path));
    places.set(id(path), { ...known, value: at });
    if (++nodes > MAX_NODES || path.length > 20) {
      throw new UserError('too large or too deep', {
        where: placeAt(at),
        allowed: `up to ${MAX_NODES} values`,
      });
    }
    if (isAlias(node)) {
      const target = targets.get(node);
      if (!target)
        throw new UserError('unknown alias', { where: placeAt(at), found: quote(`*${node.source}`) });
      return walk(target, path, at);
    }
    if (isSeq(node)) return node.items.map((item, i) => walk(item as Node | null, [...path, i], at));
    if (isMap(node)) {
      const data: Record<string, unknown> = {};
      for (const { key, value } of node.items) {
        const where = (key as Node | null)?.range?.[0] ?? at;
        if (!isScalar(key)) throw new UserError('a key must be text', { where: placeAt(where) });
        const label = textOf(key);
        if (label === '__proto__') throw new UserError(`unknown key '${label}'`, { where: placeAt(where) });
        if (Object.hasOwn(data, label))
          throw new UserError(`key ${quote(label)} given twice`, { where: placeAt(where) });
        places.set(id([...path, label]), { key: where, value: where });
        data[label] = walk(value as Node | null, [...path, label], where);
      }
      return data;
    }
    // `~` and `null` are the same as no value.
    return isScalar(node) && node.value !== null ? textOf(node) : '';
  };

  const data = walk(yaml.contents, [], 0);
  return {
    // An empty file, or one of comments alone, has no values.
    data: data === '' ? {} : data,
    place(path, part) {
      for (let length = path.length; length >= 0; length--) {
        const found = places.get(id(path.slice(0, length)));
        if (found) return placeAt((part === 'key' ? found.key : undefined) ?? found.value);
      }
      return { name };
    },
    prefix: (path) => (path.length ? `${dotted(path)}: ` : ''),
  };
}

function refuseSyntax(message: string, where: Place, text: string): UserError {
  const line = text.split('\n')[(where.line ?? 1) - 1] ?? '';
  const hint = quoteOptions(line) ?? quoteColon(message);
  return new UserError(`not valid YAML: ${escapeText(message.split(';')[0] ?? '')}`, {
    where,
    ...(hint && { hint }),
  });
}

/** In a list between brackets a runtime's own brackets end its name. */
function quoteOptions(line: string): string | undefined {
  const [runtime] = /[\w.=-]+\[[\w-]+=[^\]'"]*\]/.exec(line.slice(0, 1000)) ?? [];
  return runtime && `put quotes around a runtime with options: '${escapeText(runtime)}'`;
}

/** A command with a header, such as `Host: app.test`, looks like a key with a value. */
function quoteColon(message: string): string | undefined {
  if (!message.startsWith('Nested mappings are not allowed')) return undefined;
  return "put quotes around a value with ': ' in it, or write '>-' after its key and the value on the next line, indented";
}

/** The target of each alias: the last anchor of its name before it. One walk; the library makes one for each alias. */
function findTargets(yaml: ReturnType<typeof parseDocument>): Map<Node, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  visit(yaml, {
    Node(_, node) {
      if (!isAlias(node)) {
        if (node.anchor) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target) targets.set(node, target);
    },
  });
  return targets;
}

const id = (path: Path) => JSON.stringify(path.map(String));
const textOf = ({ value, source }: Scalar) => (typeof value === 'string' ? value : (source ?? ''));
const dotted = (path: Path) =>
  path
    .map((part, i) =>
      typeof part === 'number' ? `[${part + 1}]` : `${i ? '.' : ''}${escapeText(String(part))}`,
    )
    .join('');

/** Values from flags or inputs; `nameOf` shows how such a key is written: `--runtimes`, `input runtimes`. */
export function documentOf(data: Record<string, unknown>, nameOf: (key: string) => string): Document {
  return {
    data,
    place: ([key]) => ({ name: nameOf(String(key)) }),
    // A number would count the items of one text.
    prefix: ([, ...path]) => (typeof path[0] === 'string' ? `${dotted(path)}: ` : ''),
  };
}

/** Runs a check; a UserError that it throws gets its place. */
export function at<T>(where: Place | undefined, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof UserError) || error.detail.where || !where) throw error;
    throw withPlace(error, where);
  }
}

export const withPlace = ({ message, detail }: UserError, where: Place) =>
  new UserError(message, { ...detail, where });

/** A text that `parse` turns into a value; `json` is its JSON Schema. */
export function scalar<T>(parse: (text: string) => T, json: Record<string, unknown>) {
  return z
    .string()
    .transform((text, context): T => {
      try {
        return parse(text);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        context.addIssue({ code: 'custom', message: error.message, params: { ...error.detail } });
        return z.NEVER;
      }
    })
    .meta(json);
}

/** A map with these keys and no others. */
export function keys<S extends z.ZodRawShape>(shape: S, hintAt?: (key: string) => string | undefined) {
  // zod's issue does not name the known keys: its message carries them to `explain`, and a hint on the next line.
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const hint = hintAt?.(issue.keys[0] ?? '');
      return hint === undefined ? known : `${known}\n${hint}`;
    },
  });
}

/** A map with keys of the user's own. */
export function record<V extends z.ZodType>(checkKey: (key: string) => unknown, value: V) {
  return z.record(z.string(), value).superRefine((map, context) => {
    for (const key of Object.keys(map)) {
      try {
        checkKey(key);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        context.addIssue({
          code: 'custom',
          path: [key],
          message: error.message,
          params: { ...error.detail },
        });
      }
    }
  });
}

/**
 * Checks a document against a schema; the first problem becomes a UserError.
 *
 * @param exampleOf a right value of a key, for a message about one of the wrong kind
 * @param purposeOf the purpose of a key, with an example, for a message that it is missing
 */
export function validate<T>(
  schema: z.ZodType<T>,
  document: Document,
  exampleOf: (key: string) => string | undefined = () => undefined,
  purposeOf: (key: string) => string | undefined = () => undefined,
): T {
  const result = schema.safeParse(document.data);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const error = addPurpose(addExample(explain(issue, issue.path, document), issue, exampleOf), purposeOf);
    // In the order of the file; missing keys last, since one that is misspelt is missing as well.
    const missing =
      (issue.code === 'invalid_type' || issue.code === 'invalid_union') &&
      valueAt(document, issue.path) === undefined;
    return { error, rank: missing ? Number.MAX_VALUE : (error.detail.where?.line ?? 0) };
  });
  problems.sort((a, b) => a.rank - b.rank);
  throw problems[0]?.error ?? new Error('zod reported a failure without an issue');
}

const WRONG_KIND = 'wrong kind of value';

function addExample(
  error: UserError,
  { path }: z.core.$ZodIssue,
  exampleOf: (key: string) => string | undefined,
): UserError {
  const { allowed, ...detail } = error.detail;
  const isKind = error.message.endsWith(WRONG_KIND) && path.length === 1;
  const example = isKind ? exampleOf(String(path[0])) : undefined;
  if (allowed === undefined || example === undefined) return error;
  return new UserError(error.message, { ...detail, allowed: `${allowed} such as ${example}` });
}

function addPurpose(error: UserError, purposeOf: (key: string) => string | undefined): UserError {
  const key = /key '([\w-]+)' is missing$/.exec(error.message)?.[1];
  const hint = key === undefined ? undefined : purposeOf(key);
  return hint === undefined ? error : new UserError(error.message, { ...error.detail, hint });
}

function valueAt(document: Document, path: Path): unknown {
  return path.reduce<unknown>((data, key) => (data as Record<PropertyKey, unknown>)?.[key], document.data);
}

function explain(issue: z.core.$ZodIssue, path: Path, document: Document): UserError {
  const where = document.place(path);
  const value = valueAt(document, path);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [key = ''] = issue.keys;
      const [allowed = '', told] = issue.message.split('\n');
      const hint = told ?? suggest(key, allowed.split(', '));
      return new UserError(`${document.prefix(path)}unknown key ${quote(key)}`, {
        where: document.place([...path, key], 'key'),
        allowed,
        ...(hint && { hint }),
      });
    }
    case 'invalid_union': {
      if (value === undefined) return missingKey(path, document);
      // The branch that takes such a value at all has the telling problem.
      const fits = issue.errors.find(
        (branch) => !branch.some((i) => i.code === 'invalid_type' && !i.path.length),
      );
      // As in `validate`: a key that is misspelt is missing as well.
      const isThere = (i: z.core.$ZodIssue) => valueAt(document, [...path, ...i.path]) !== undefined;
      const telling = fits?.find(isThere) ?? fits?.[0];
      if (telling) return explain(telling, [...path, ...telling.path], document);
      const kinds = issue.errors.map(([first]) =>
        first?.code === 'invalid_type' ? KINDS[first.expected] : '',
      );
      return wrongKind(document.prefix(path), value, kinds.filter(Boolean).join(' or '), where);
    }
    case 'invalid_type':
      if (value === undefined) return missingKey(path, document);
      return wrongKind(document.prefix(path), value, KINDS[issue.expected] ?? issue.expected, where);
    case 'custom':
      return new UserError(`${document.prefix(path)}${issue.message}`, { where, ...issue.params });
    default:
      return new UserError(`${document.prefix(path)}${issue.message}`, {
        where,
        ...(typeof value === 'string' && { found: quote(value) }),
      });
  }
}

function missingKey(path: Path, document: Document): UserError {
  const around = path.slice(0, -1);
  return new UserError(`${document.prefix(around)}key '${String(path.at(-1))}' is missing`, {
    where: document.place(around),
  });
}

const KINDS: Partial<Record<string, string>> = {
  string: 'one value',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function wrongKind(prefix: string, given: unknown, allowed: string, where: Place): UserError {
  // The value of a header may be a secret.
  const value =
    prefix.startsWith('headers') && typeof given === 'string' ? given.replace(/[=:].*/s, '=…') : given;
  const found = Array.isArray(value)
    ? 'a list'
    : typeof value === 'string'
      ? value
        ? quote(value)
        : 'nothing'
      : 'a map';
  return new UserError(`${prefix}${WRONG_KIND}`, { where, found, allowed });
}
