#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { runCommand } from './commands.ts';
import { Stopped, UserError } from './errors.ts';
import { realHost } from './host.ts';

// A reader that went away (`| head`, a `tee` that Ctrl-C ended as well) must not end us before we have cleaned up.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
try {
  process.exitCode = await runCommand(process.argv.slice(2), realHost, packageRoot);
} catch (error) {
  if (error instanceof UserError) {
    process.stderr.write(`${error.format()}\n`);
    process.exitCode = 2;
  } else if (error instanceof Stopped) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  } else {
    // A bug of ours, which is none of the documented exit codes.
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 70;
  }
}
