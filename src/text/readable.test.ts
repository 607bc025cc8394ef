import { expect, test } from 'vitest';
import { readable, readMessage } from './readable.ts';

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

const PAGE = ['Blog - Error', 'Blog', 'Home', 'About', 'Contact', 'Log in', 'Archive', 'Error 500'].join(
  '\n',
);
const MESSAGE = 'Runtime path "/app/runtime" is not valid.\nPlease make sure that PHP may write there.';

test('a long text is shown from its message on', () => {
  expect(readMessage(`${PAGE}\n${MESSAGE}\nCopyright`, 60)).toBe(
    'Runtime path "/app/runtime" is not valid. Please make sure t…',
  );
});

test('a short text, and one without a message, is shown from its beginning', () => {
  expect(readMessage('Blog\nNo such post', 60)).toBe('Blog No such post');
  expect(readMessage(` ${PAGE}`, 60)).toBe('Blog - Error Blog Home About Contact Log in Archive Error 50…');
  expect(readMessage(' \n', 60)).toBe('');
});
