// Checks workflows and actions with the parsers that GitHub's own editor support uses, and names what they object to.
//   node script/lib/workflows.ts .github/workflows/*.yml action.yml
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FileProvider } from '@actions/workflow-parser/workflows/file-provider';

// The packages import JSON without the attribute that Node asks for.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { validate } = await import('@actions/languageservice');
const { TextDocument } = await import('vscode-languageserver-textdocument');

/** Gives the reusable workflows of this repository, so that calls of them are checked, too. */
const fileProvider: FileProvider = {
  async getFileContent(reference) {
    const path = 'path' in reference ? reference.path : '';
    if (!existsSync(path)) throw new Error(`there is no ${path}`);
    return { name: path, content: readFileSync(path, 'utf8') };
  },
};

for (const path of process.argv.slice(2)) {
  const uri = pathToFileURL(resolve(path)).href;
  const document = TextDocument.create(uri, 'yaml', 1, readFileSync(path, 'utf8'));
  for (const { message, range } of await validate(document, { fileProvider })) {
    console.log(`${path}:${range.start.line + 1}: ${message}`);
    process.exitCode = 1;
  }
}
