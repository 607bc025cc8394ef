// Puts the bundled page of report.html into dist/ instead of the module that bundles it from source.
import type { Plugin } from 'esbuild';
import { pageAssets } from '../../src/report/html/assets.ts';

export const pagePlugin: Plugin = {
  name: 'page',
  setup(build) {
    build.onLoad({ filter: /report\/html\/assets\.ts$/ }, () => ({
      contents: `const assets = ${JSON.stringify(pageAssets())};\nexport const pageAssets = () => assets;\n`,
    }));
  },
};
