#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { runCommand } from './commands.ts';
import { readMachineError, Stopped, UserError } from './errors.ts';
import { realHost } from './host.ts';
import { installLastResort } from './last-resort.ts';

// A reader that went away (`| head`, a `tee` that Ctrl-C ended as well) must not end us before we have cleaned up.
process.stderr.on('error', () => {});
process.stdout.on('error', (error) => {
  // A terminal that was closed has an I/O error, too.
  const failure = process.stdout.isTTY ? null : readMachineError(error);
  if (failure === null) return;
  process.once('exit', () => {
    process.stderr.write(`standard output: ${failure.format()}\n`);
    process.exitCode ||= failure.exitCode;
  });
});

installLastResort((text) => process.stderr.write(`${text}\n`));

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
try {
  process.exitCode = await runCommand(process.argv.slice(2), realHost, packageRoot);
} catch (thrown) {
  const error = readMachineError(thrown) ?? thrown;
  if (error instanceof UserError) {
    process.stderr.write(`${error.format()}\n`);
    process.exitCode = error.exitCode;
  } else if (error instanceof Stopped) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  } else {
    // An internal error, which is none of the documented exit codes.
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 70;
  }
}
