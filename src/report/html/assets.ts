import { join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

/** The page's script and style, ready to be inlined. */
interface PageAssets {
  script: string;
  style: string;
}

let assets: PageAssets | undefined;

/** Bundled on first use. dist/ has the result instead of this module: script/lib/page.ts. */
export function pageAssets(): PageAssets {
  if (!assets) {
    const { script, style } = bundlePage();
    assets = { script, style };
  }
  return assets;
}

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
    entryPoints: [join(import.meta.dirname, entry)],
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
