import { expect, test } from 'vitest';
import { readable } from './readable.ts';

test.each([
  ['', ''],
  ['plain text\n\twith lines\r\n', 'plain text\n\twith lines\r\n'],
  [
    '\u001b[31mPHP Fatal error: a message in red\u001b[0m',
    '\u001b[31mPHP Fatal error: a message in red\u001b[0m',
  ],
  ['Ünïcödé, 日本語', 'Ünïcödé, 日本語'],
  ['\u0089PNG\r\n\u001a\n\u0000\u0000\u0000\rIHDR', '(binary, 16 characters)'],
  ['��x�', '(binary, 4 characters)'],
])('%j', (text, shown) => expect(readable(text)).toBe(shown));
