import { describe, expect, test } from 'vitest';
import { code, codeBlock, escapeHtml, escapeMarkdown } from './escape.ts';

describe('escapeMarkdown', () => {
  test.each([
    ['@octocat', '@&#8203;octocat'],
    ['cc @org/team', 'cc @&#8203;org/team'],
    ['me@example.com', 'me@&#8203;example.com'],
    ['#12', '\\#&#8203;12'],
    ['octo/repo#12', 'octo/repo#&#8203;12'],
    ['see GH-12', 'see GH-&#8203;12'],
    ['deadbeef1 fixed it', 'deadbe&#8203;ef1 fixed it'],
    ['https://evil.example', 'https:&#8203;//evil.example'],
    ['www.evil.example', 'www&#8203;.evil.example'],
    ['mailto:a', 'mailto&#8203;:a'],
    ['[x](y)', '\\[x\\](y)'],
    ['![x](y)', '!\\[x\\](y)'],
    ['<img src=x>', '&lt;img src=x&gt;'],
    ['</details>', '&lt;/details&gt;'],
    ['<!-- marker -->', '&lt;!-- marker --&gt;'],
    ['&#64;octocat', '&amp;#&#8203;64;octocat'],
    ['a|b', 'a&#124;b'],
    ['a\\|b', 'a\\\\&#124;b'],
    ['`code`', '&#96;code&#96;'],
    ['**bold** _it_ ~~no~~', '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~'],
    ['$x$', '&#36;x&#36;'],
    ['one\ntwo\r\nthree', 'one two three'],
    ['# heading', '\\# heading'],
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['8.4.3 fpm', '8.4.3 fpm'],
    ['\u001b[31mred\u001b[0m\u0000', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['abc\u202etxt.exe', 'abctxt.exe'],
    ['half \ud83d', 'half \ufffd'],
    ['日本語 👍 עברית', '日本語 👍 עברית'],
    ['seed 20260131', 'seed 20260131'],
  ])('%j', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });
});

test('escapeHtml uses no backslashes', () => {
  expect(escapeHtml('a_b <b>@x</b> [y]')).toBe('a_b &lt;b&gt;@&#8203;x&lt;/b&gt; [y]');
});

describe('code', () => {
  test('is what it was, between backticks', () => {
    expect(code('nginx-fpm@8.4[listen=unix,workers=80]')).toBe('`nginx-fpm@8.4[listen=unix,workers=80]`');
  });
  test.each(['a`b', 'a|b', 'a\\', '``'])('%j cannot get out of it', (text) => {
    expect(code(text)).toBe(`<code>${escapeMarkdown(text)}</code>`);
  });
  test('nothing is nothing', () => {
    expect(code(' \u0007 ')).toBe('');
  });
});

test('a code block has a fence that its text cannot end', () => {
  expect(codeBlock('a\n````\nb\u0007')).toBe('`````\na\n````\nb\n`````');
  expect(codeBlock('ls', 'sh')).toBe('```sh\nls\n```');
});
