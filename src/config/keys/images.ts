import { resolve } from 'node:path';
import { UserError } from '../../errors.ts';
import { at, readYaml, validate } from '../document.ts';
import type { Files } from '../files.ts';
import { KEYS } from '../keys.ts';
import { quote } from '../text.ts';
import type { Layer } from './layers.ts';

/** `images`: a map, or the path of a YAML file with one, or (in an input) its text; `--image` adds single ones. */
export function readImages(layers: readonly Layer[], files: Files): Record<string, string> {
  const maps = layers.flatMap(({ values: { images, image }, document, base }) => {
    const place = document.place(['images']);
    if (typeof images !== 'string') return [image, images];
    const isText = images.includes('\n') || images.includes(': ');
    const file = resolve(base, images);
    const text = isText ? images : at(place, () => files.read(file));
    if (text === null) {
      throw new UserError('no such file', {
        where: place,
        found: quote(images),
        allowed: 'a YAML file with lines such as php:8.4-fpm: mirror.example/php:8.4-fpm',
      });
    }
    const yaml = readYaml(isText ? place.name : images, text);
    return [image, validate(KEYS.image.schema, yaml)];
  });
  return Object.assign({}, ...maps.reverse());
}
