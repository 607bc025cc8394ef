import { resolve } from 'node:path';
import { UserError } from '../errors.ts';
import type { Files } from './files.ts';
import { find, type Layer } from './layers.ts';
import { quote } from './text.ts';
import type { Config } from './types.ts';

/** The compose file itself is read by docker compose, when a run begins. */
export function readServices(layers: readonly Layer[], files: Files): Pick<Config, 'services'> {
  const given = find(layers, 'services');
  if (!given) return {};
  const { value, base, place } = given;
  const { file: name, ...rest } = typeof value === 'string' ? { file: value } : value;
  const file = resolve(base, name);
  if (files.kind(file) !== 'file') {
    throw new UserError('no such file', {
      where: typeof value === 'string' ? place() : place('file'),
      found: quote(name),
      allowed: 'a compose file, such as compose.yaml',
    });
  }
  return { services: { file, reset: rest.reset ?? {}, setUp: rest['set-up'] ?? null } };
}
