import { countableByPhp } from '../../plan/timeline/count-plan.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import { planServiceCount } from '../counters/count-services.ts';
import { type Job, listPresent, type World } from '../world.ts';
import { type CountTools, planPhpCounts } from './count-php.ts';
import { type ProfileTools, planProfiles } from './profile.ts';
import type { Pass } from './run-pass.ts';

/** Passes after the measurement, in this order. */
export function listPasses(world: World, tools: ProfileTools & CountTools): Pass[] {
  const { job } = world;
  const reached = (all: PlannedVariant[]) => all.filter((variant) => !ignoresIni(job, variant));
  const [profiled, counted] = [reached(profiledOf(job)), reached(countedOf(job))];
  const services = planServiceCount(world);
  return [
    ...(profiled.length > 0 ? planProfiles(world, profiled, tools) : []),
    ...(services ? [services] : []),
    ...(counted.length > 0 ? planPhpCounts(world, counted, tools) : []),
  ];
}

/** Shown once the first servers answer, before any load: after it, profiles and counts would just be missing. */
export function warnOfIgnoredIni({ job, sink }: Pick<World, 'job' | 'sink'>): void {
  const { plan, config } = job;
  const present = listPresent(job).filter((variant) => ignoresIni(job, variant));
  const remedy = config.env.BENCH_INI ? `correct the syntax of \`ini\`; ${REMEDY}` : REMEDY;
  const orNone = `${remedy}, or set \`profile: false\` in its runtime.yaml`;
  for (const [code, variants, is, what] of [
    ['ini-ignored', config.env.BENCH_INI ? plan.variants : [], 'is measured without `ini`', remedy],
    ['profile', profiledOf(job), 'is not profiled', orNone],
    ['count', countedOf(job), 'has no counts of PHP', orNone],
  ] as const) {
    for (const { id, label } of present.filter((variant) => variants.includes(variant))) {
      const message = `${label} ${is}: its PHP has not read all of BENCH_INI`;
      sink.warn({ code, message, remedy: what, variant: id });
    }
  }
}

const REMEDY = 'a runtime of your own has to call `common_options` of options.sh';

const profiledOf = ({ plan }: Job): PlannedVariant[] =>
  plan.variants.filter(({ id }) => plan.profile?.variants[id] !== undefined);

const countedOf = ({ plan, config }: Job): PlannedVariant[] =>
  config.count?.includes('php') ? countableByPhp(plan.variants) : [];

/** As the facts of its servers show it: neither sampler nor counter would be loaded there. */
const ignoresIni = ({ outcomes }: Job, { id }: PlannedVariant): boolean =>
  outcomes.get(id)?.facts?.ignoresIni === true;
