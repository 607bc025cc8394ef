/** Preloaded into the CLI by tests: ends it when the worker that started it is gone, or its run would hold the worker's names. */
import { fstatSync } from 'node:fs';

// A terminal or a file says nothing about the worker.
if (fstatSync(0).isSocket()) {
  const end = () => process.kill(process.pid, 'SIGTERM');
  process.stdin.resume().on('end', end).on('error', end).unref();
}
