import { resolve } from 'node:path';
import { UserError } from '../../errors.ts';
import { TO_SAVE } from '../document.ts';
import type { Files } from '../files.ts';
import { DATABASE_NAMES, databaseIn, describeDatabase } from '../parts/databases.ts';
import { quote } from '../text.ts';
import type { Config, ServicesChoice } from '../types.ts';
import { find, type Given, type Layer } from './layers.ts';

/** Its marks of byte order: clients of databases fail at the first. */
const UTF_16 = ['fffe', 'feff'];

/** A compose file itself is read by docker compose, when a run begins. */
export function readServices(layers: readonly Layer[], files: Files): Pick<Config, 'services'> {
  const given = find(layers, 'services');
  if (!given) return {};
  const { value } = given;
  const keys = typeof value === 'string' ? { file: value } : value;
  if (keys.file !== undefined && keys.image !== undefined) {
    throw new UserError('`services` has both `file` and `image`', {
      where: given.place('image'),
      allowed: 'one of them: a compose file, or the image of a database',
    });
  }
  if (keys.image !== undefined) return { services: readDatabase(given, keys.image, keys, files) };
  if (keys.file === undefined || keys.dump !== undefined) {
    throw new UserError(keys.dump === undefined ? '`services` is empty' : '`dump` needs `image`', {
      where: keys.dump === undefined ? given.place() : given.place('dump'),
      allowed: '`file`: a compose file, or `image`: a database such as mysql:8.4',
    });
  }
  const place = typeof value === 'string' ? given.place() : given.place('file');
  const file = resolve(given.base, keys.file);
  checkFile(file, keys.file, place, 'a compose file, such as compose.yaml', files);
  return { services: { file, reset: keys.reset ?? {} } };
}

function readDatabase(
  { base, place }: Given<'services'>,
  image: string,
  { dump, reset }: { dump?: string | undefined; reset?: unknown },
  files: Files,
): ServicesChoice {
  const name = databaseIn(image);
  if (name === null) {
    throw new UserError('no database by this image', {
      where: place('image'),
      found: quote(image),
      allowed: DATABASE_NAMES.map((known) => `${known}:VERSION`).join(', '),
      hint: 'all others take a compose file: `services: { file: compose.yaml }`',
    });
  }
  if (reset !== undefined) {
    throw new UserError('`reset` needs `file`', {
      where: place('reset'),
      allowed: '`image` makes an empty database for each start; `dump` fills it',
    });
  }
  const path = dump === undefined ? null : resolve(base, dump);
  if (path !== null) {
    checkFile(path, dump as string, place('dump'), 'a file of SQL: dump.sql or dump.sql.gz', files);
    if (UTF_16.includes(files.start(path).toString('hex')))
      throw new UserError('not UTF-8', { where: place('dump'), found: quote(dump as string), hint: TO_SAVE });
  }
  return { file: image, ...describeDatabase(name, image, path) };
}

function checkFile(
  path: string,
  given: string,
  where: ReturnType<Given<'services'>['place']>,
  allowed: string,
  files: Files,
) {
  if (files.kind(path) === 'file') return;
  throw new UserError('no such file', { where, found: quote(given), allowed });
}
