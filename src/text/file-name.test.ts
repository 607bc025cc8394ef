import { expect, test } from 'vitest';
import { fileNameOf } from './file-name.ts';

test('a short name keeps all characters that every file system has', () => {
  expect(fileNameOf('shop/nginx-fpm@8.4[listen=unix,workers=8]:base')).toBe(
    'shop_nginx-fpm@8.4_listen=unix_workers=8_base',
  );
});

test('long names of both versions, and of variants that differ in the middle, are different files', () => {
  const idOf = (middle: string) => `nginx-fpm@8.4[${'a=1,'.repeat(60)}${middle},${'b=2,'.repeat(60)}c=3]`;
  const ids = [idOf('x=1'), `${idOf('x=1')}:base`, idOf('x=2'), `${idOf('x=2')}:base`];
  const names = ids.map(fileNameOf);
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^nginx-fpm@8\.4_[\w@.=-]{150,185}$/);
  expect(names[1]).toMatch(/c=3_base$/);
});
