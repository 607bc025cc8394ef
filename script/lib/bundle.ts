// Bundles the entries into dist/, generates the JSON Schemas and the copy of action.yml that workflows name; called by
// script/build with the folder to write to.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { configJsonSchema, runtimeJsonSchema, scenarioJsonSchema } from '../../src/config/schema.ts';
import { bundlePage } from '../../src/report/html/assets.ts';
import { resultsJsonSchema } from '../../src/results/results.ts';
import { nameChunks } from './chunks.ts';
import { renderLicenses } from './licenses.ts';
import { pagePlugin } from './page.ts';

const target = process.argv[2] ?? '.';

/** Ships only the part of our package.json that src/project.ts reads. The rest is for development. */
const manifestPlugin: Plugin = {
  name: 'manifest',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]package\.json$/ }, ({ path }) => {
      if (path !== join(import.meta.dirname, '../../package.json')) return null;
      const { repository } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ repository }), loader: 'json' };
    });
  },
};

const { metafile } = await build({
  entryPoints: [
    ...['action', 'post', 'cli'].map((name) => ({ in: `src/${name}.ts`, out: name })),
    ...['plan', 'report', 'comment', 'request', 'history'].map((step) => ({
      in: `src/steps/${step}-step.ts`,
      out: `steps/${step}`,
    })),
  ],
  outdir: join(target, 'dist'),
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunk-[hash]',
  bundle: true,
  // Code that several entries share or import lazily gets chunks of its own.
  splitting: true,
  minify: true,
  keepNames: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
  plugins: [pagePlugin, manifestPlugin],
  // The toolkit's packages are CommonJS and call require() for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  logLevel: 'warning',
});

nameChunks(target, metafile);

writeFileSync(
  join(target, 'dist/licenses.txt'),
  renderLicenses([metafile, bundlePage().metafile], join(import.meta.dirname, '../..')),
);

const schemas = {
  'config.schema.json': configJsonSchema(),
  'scenario.schema.json': scenarioJsonSchema(),
  'runtime.schema.json': runtimeJsonSchema(),
  'results.schema.json': resultsJsonSchema(),
};
mkdirSync(join(target, 'schema'), { recursive: true });
for (const [name, schema] of Object.entries(schemas)) {
  writeFileSync(join(target, 'schema', name), `${JSON.stringify(schema, null, 2)}\n`);
}

// In a workflow `$/` with a path is the documented form of "this repository at this commit"; the bare `$/` is not.
const inner = join(target, '.github/actions/bench');
mkdirSync(inner, { recursive: true });
const action = readFileSync('action.yml', 'utf8').replace(/^( +(?:main|post): )(?=dist\/)/gm, '$1../../../');
writeFileSync(
  join(inner, 'action.yml'),
  `# Made from the action.yml in the root by script/build. Do not edit.\n${action}`,
);
