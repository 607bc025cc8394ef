import { createContext, Script } from 'node:vm';
import { quote } from '../../config/text.ts';
import { databaseOf } from '../../engine/services.ts';
import { UserError } from '../../errors.ts';
import type { Job } from '../world.ts';
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

/**
 * The answers to compare with those of other variants: without what the user's own expressions match, and without the
 * names of the variants' databases. Some apps show theirs, such as MediaWiki in the names of its cookies, or all.
 */
export function maskAnswers(
  answers: readonly Answer[],
  { config, plan }: { config: Pick<Job['config'], 'mask' | 'services'>; plan: Pick<Job['plan'], 'variants'> },
): Answer[] {
  const masked = maskBodies(answers, config.mask ?? []);
  if (!config.services) return masked;
  const databases = plan.variants.map((variant) => databaseOf(variant, plan.variants));
  const name = new RegExp(`(${databases.join('|')})(?!\\d)`, 'g');
  return masked.map((answer) => ({
    ...answer,
    body: answer.body.replace(name, '…'),
    location: answer.location.replace(name, '…'),
  }));
}
