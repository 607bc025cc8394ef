// Faults in a run.
import { testRunFaults } from './run-tests.ts';
import { runFaults } from './runs.ts';

testRunFaults(runFaults);
