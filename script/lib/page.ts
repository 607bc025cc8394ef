// Bundles the script and the style of report.html: by script/build into dist/, and on the fly where it runs from source.
import { join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile, type Plugin } from 'esbuild';

const folder = join(import.meta.dirname, '../../src/report/html');

/** Throws where the page would be cut short by what is put into it. */
export function bundlePage(): { script: string; style: string; metafile: Metafile } {
  const script = bundle('page/main.ts', { format: 'iife', target: 'es2022' });
  const style = bundle('page/page.css', { target: ['chrome110', 'firefox115', 'safari16'] });
  const bundled = { script: script.text, style: style.text, metafile: script.metafile };
  if (/<\/(script|style)|<!--/i.test(bundled.script + bundled.style)) {
    throw new Error('the script or the style of the page would end the element that it stands in');
  }
  return bundled;
}

function bundle(entry: string, options: BuildOptions): { text: string; metafile: Metafile } {
  const { outputFiles = [], metafile = { inputs: {}, outputs: {} } } = buildSync({
    entryPoints: [join(folder, entry)],
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
  return { text: outputFiles[0]?.text.trim() ?? '', metafile };
}

function pageAssets(): { script: string; style: string } {
  const { script, style } = bundlePage();
  return { script, style };
}

/** Puts the bundled page where its sources bundle it. */
export const pagePlugin: Plugin = {
  name: 'page',
  setup(build) {
    build.onLoad({ filter: /report\/html\/assets\.ts$/ }, () => ({
      contents: `const assets = ${JSON.stringify(pageAssets())};\nexport const pageAssets = () => assets;\n`,
    }));
  },
};
