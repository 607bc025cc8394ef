import * as core from '@actions/core';
import { removeLeft } from './steps/remove-left.ts';
import { publishUnpublished } from './steps/salvage.ts';

// The main step cleans up and publishes itself; this is for when it was killed. Never fails a job that has measured.
const run = core.getState('run');
await removeLeft(run, core.getState('engine')).catch(warnThat('Could not look for leftovers of the run'));
await publishUnpublished(run).catch(warnThat('The results so far could not be published'));

function warnThat(text: string): (error: Error) => void {
  return ({ message }) => core.warning(`${text}: ${message}`);
}
