// Faults in a run: what is used up, and names that are no text.
import { nameFaults } from './names.ts';
import { testRunFaults } from './run-tests.ts';
import { usedUpFaults } from './used-up.ts';

testRunFaults([...usedUpFaults, ...nameFaults]);
