import * as core from '@actions/core';
import { UserError } from '../errors.ts';
import { readRequest } from '../publish/request.ts';
import { codeBlock } from '../report/format/escape.ts';
import { fail } from './step.ts';

// Step of bench-command.yml: what was asked for in a comment, as inputs of the reusable workflow.
process.exitCode = main();

function main(): number {
  try {
    core.setOutput('inputs', JSON.stringify(readRequest(core.getInput('text', { required: true }))));
    return 0;
  } catch (error) {
    if (error instanceof UserError) core.setOutput('answer', codeBlock(error.format()));
    return fail(error);
  }
}
