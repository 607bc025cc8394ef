// Bundles the script and the style of report.html: by script/build into dist/, and on the fly where it runs from source.
import { join } from 'node:path';
import { type BuildOptions, buildSync, type Plugin } from 'esbuild';

const folder = join(import.meta.dirname, '../../src/report/html');

/** Throws where the page would be cut short by what is put into it. */
export function bundlePage(): { script: string; style: string } {
  const bundled = {
    script: bundle('page/main.ts', { format: 'iife', target: 'es2022' }),
    style: bundle('page/page.css', { target: ['chrome110', 'firefox115', 'safari16'] }),
  };
  if (/<\/(script|style)|<!--/i.test(bundled.script + bundled.style)) {
    throw new Error('the script or the style of the page would end the element that it stands in');
  }
  return bundled;
}

function bundle(entry: string, options: BuildOptions): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, entry)],
    write: false,
    bundle: true,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
  return outputFiles?.[0]?.text.trim() ?? '';
}

/** Puts the bundled page where its sources bundle it. */
export const pagePlugin: Plugin = {
  name: 'page',
  setup(build) {
    build.onLoad({ filter: /report\/html\/assets\.ts$/ }, () => ({
      contents: `const assets = ${JSON.stringify(bundlePage())};\nexport const pageAssets = () => assets;\n`,
    }));
  },
};
