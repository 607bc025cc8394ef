import type { ScenarioSummary } from '../../../analyse/summary.ts';
import { countSection } from '../../counts/count-section.ts';
import type { Section } from '../model.ts';
import { errorSection } from './faults.ts';
import { endpointSection, percentileSection, triedSection } from './response-times.ts';
import { scriptSection } from './script.ts';

/** Sections of a scenario besides its ranking, folded, in this order. */
export const SCENARIO_SECTIONS: readonly ((scenario: ScenarioSummary) => Section[])[] = [
  countSection,
  percentileSection,
  triedSection,
  endpointSection,
  errorSection,
  scriptSection,
];
