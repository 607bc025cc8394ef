import { expect, test } from 'vitest';
import { readHtml } from './page-text.ts';

test.each<[string, string, string]>([
  ['of a page: no tags, no blank lines', '<h1>Shop</h1>\n\n  <p>Open\t<b>now</b></p>', 'Shop\nOpen now'],
  [
    'not its scripts, styles and comments',
    'a<script>if (1<2)</script><style>p{}</style><!-- <p> -->b',
    'a b',
  ],
  ['not what is cut within a script', '<p>a</p><script>let b = 1;', 'a'],
  ['not what is cut within a comment', 'a <!-- b', 'a'],
  ['names and codes of characters', 'R&amp;D &lt;&#64;&#x40;&gt;&nbsp;&raquo;', 'R&D <@@> »'],
  ['other names as they are', '&hearts; &valueOf; &#9999999;', '&hearts; &valueOf; &#9999999;'],
  ['a code that is shown as one', '&amp;#64;', '&#64;'],
])('the text %s', (_, html, text) => {
  expect(readHtml(html)).toBe(text);
});

test('a page of 10 MB that closes nothing is read once', () => {
  const open = '<!-- <script <style <';
  expect(readHtml(`a${open.repeat(500_000)}`)).toBe('a');
});
