import { expect, test } from 'vitest';
import { embedJson, html, isolate, name, raw, sentence } from './html.ts';

const HOSTILE = `</script><img src=x onerror=alert(1)> "quoted" 'and' &amp; \u202egnp.\u0007`;

test('text in a template is escaped, in elements and in attributes', () => {
  const { text } = html`<p title="${HOSTILE}">${HOSTILE}</p>`;
  const escaped =
    '&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; &quot;quoted&quot; &#39;and&#39; &amp;amp; gnp.';
  expect(text).toBe(`<p title="${escaped}">${escaped}</p>`);
});

test('markup of a template is not escaped again, lists are put in a row, nothing stays nothing', () => {
  const items = ['a<', 'b'].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}${raw('<br>')}`.text).toBe(
    '<ul><li>a&lt;</li><li>b</li></ul>0<br>',
  );
});

test('a name keeps its own direction', () => {
  expect(name('خادم <b>').text).toBe('<bdi class="name">خادم &lt;b&gt;</bdi>');
});

test('names within a sentence become elements, and cannot begin or end one themselves', () => {
  const text = `${isolate('日本\u2069<b>\u2068')} is ahead of ${isolate('b')}.`;
  expect(sentence(text).text).toBe(
    '<bdi class="name">日本&lt;b&gt;</bdi> is ahead of <bdi class="name">b</bdi>.',
  );
});

test('no line ends between a number and its unit', () => {
  expect(sentence('within 1.2 % of 30 ms, 2,310 rps: 4 msgs').text).toBe(
    'within 1.2\u00a0% of 30\u00a0ms, 2,310\u00a0rps: 4 msgs',
  );
});

test('data cannot end the element that holds it, and comes back as it was', () => {
  const data = { label: HOSTILE, comment: '<!--<script>' };
  const { text } = embedJson('data', data);
  const json = /^<script type="application\/json" id="data">(.*)<\/script>$/s.exec(text)?.[1] ?? '';
  expect(json).not.toContain('<');
  expect(JSON.parse(json)).toEqual(data);
});
