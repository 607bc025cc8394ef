import { createHash } from 'node:crypto';
import { pageAssets } from './assets.ts';
import { embedJson, type Html, html, raw } from './html.ts';

interface HtmlPage {
  title: string;
  /** The version of the tool that made the page. */
  version?: string;
  /** Made one after the other, as they are written: those of a large run would not all have to fit into memory. */
  body: Iterable<Html>;
  /** Data for the page's script; left out: the page has no script. */
  data?: () => unknown;
}

/**
 * Frame of all pages. A page needs no other file. Its policy allows only its own style and script, by hash.
 *
 * @returns its text, piece by piece
 */
export function* renderPage({ title, version, body, data }: HtmlPage): Generator<string> {
  const { script, style } = pageAssets();
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    ...(data ? [`script-src '${hashOf(script)}'`] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  yield html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${version !== undefined && html`<meta name="generator" content="php-runtime-bench ${version}">`}
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
`.text;
  for (const { text } of body) {
    yield text;
    yield '\n';
  }
  if (data) {
    yield embedJson('data', data()).text;
    yield html`\n<script>${raw(script)}</script>\n`.text;
  }
  yield '</body>\n</html>\n';
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
