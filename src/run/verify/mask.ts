import { createContext, Script } from 'node:vm';
import { quote } from '../../config/text.ts';
import { UserError } from '../../errors.ts';
import type { Answer } from './verify.ts';

/** An expression that backtracks without end would keep the run from ever going on. */
const SECONDS = 2;
const REPLACE = new Script(
  "(() => { const mask = new RegExp(source, 'gu'); return bodies.map((body) => body.replace(mask, '…')); })()",
);

/** The answers without what the user's own expressions match. Errors: UserError, one of them takes too long. */
export function maskBodies(answers: readonly Answer[], masks: readonly string[]): Answer[] {
  let bodies = answers.map(({ body }) => body);
  if (masks.length === 0) return [...answers];
  // A context of its own, as only there a regular expression can be stopped.
  const world = createContext({});
  for (const source of masks) {
    try {
      Object.assign(world, { bodies, source });
      bodies = [...REPLACE.runInContext(world, { timeout: SECONDS * 1000 })];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new UserError('a regular expression takes too long', {
        where: { name: 'mask' },
        found: `${quote(source)}, stopped after ${SECONDS} s on answers of up to ${Math.max(...bodies.map((body) => body.length))} characters`,
        hint: 'avoid nested repetitions such as (a+)+',
      });
    }
  }
  return answers.map((answer, i) => ({ ...answer, body: bodies[i] as string }));
}
