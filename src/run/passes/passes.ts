import type { Measurement } from '../../results/results.ts';
import { planServiceCount } from '../counters/count-services.ts';
import type { World } from '../world.ts';
import { planPhpCounts } from './count-php.ts';
import { type ProfileTools, planProfiles } from './profile.ts';
import type { Pass } from './run-pass.ts';

interface PassTools {
  profile: ProfileTools;
  /** What the slices that decided found. */
  measured: readonly Measurement[];
}

/** What is to be found out once all is measured, in this order. */
export function listPasses(world: World, { profile, measured }: PassTools): Pass[] {
  const { plan, config } = world.job;
  const profiled = plan.variants.filter(({ id }) => plan.profile?.variants[id] !== undefined);
  const services = planServiceCount(world);
  return [
    ...(profiled.length > 0 ? planProfiles(world, profiled, profile, measured) : []),
    ...(services ? [services] : []),
    ...(config.count?.includes('php') ? planPhpCounts(world, plan.variants, profile.folder) : []),
  ];
}
