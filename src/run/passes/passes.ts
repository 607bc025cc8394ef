import { countableByPhp } from '../../plan/timeline/count-plan.ts';
import { planServiceCount } from '../counters/count-services.ts';
import type { World } from '../world.ts';
import { type CountTools, planPhpCounts } from './count-php.ts';
import { type ProfileTools, planProfiles } from './profile.ts';
import type { Pass } from './run-pass.ts';

/** Passes after the measurement, in this order. */
export function listPasses(world: World, tools: ProfileTools & CountTools): Pass[] {
  const { plan, config } = world.job;
  const profiled = plan.variants.filter(({ id }) => plan.profile?.variants[id] !== undefined);
  const services = planServiceCount(world);
  return [
    ...(profiled.length > 0 ? planProfiles(world, profiled, tools) : []),
    ...(services ? [services] : []),
    ...(config.count?.includes('php') ? planPhpCounts(world, countableByPhp(plan.variants), tools) : []),
  ];
}
