import { bundlePage } from '../../../script/lib/page.ts';

/** The page's script and style, ready to be inlined. */
export interface PageAssets {
  script: string;
  style: string;
}

let assets: PageAssets | undefined;

/** Bundled on first use. In dist/ script/build has put what comes of it in this module's place. */
export function pageAssets(): PageAssets {
  assets ??= bundlePage();
  return assets;
}
