/** The limits of what is ranked and trusted, in one place: docs/reading-the-report.md states them. */

/** Share of right answers below which a variant is not ranked by default. */
export const DEFAULT_OK_RATIO = 0.99;
/** With fewer right answers a variant has failed. */
export const MOSTLY_OK = 0.5;
/** Share in which each check of a script has to pass, by default; a bundled journey knows its answers. */
export const DEFAULT_CHECKS = 0.99;
export const DEFAULT_BUNDLED_CHECKS = 1;
/** With more of its iterations in error than this, a script did not do what it was written for. */
export const MAX_SCRIPT_ERRORS = 0.01;
/** From this share of generator-bound slices on the variant as a whole is. */
export const GENERATOR_BOUND_SHARE = 0.1;
/** Above this share of the load CPUs k6 adds latency of its own. */
export const GENERATOR_BUSY = 0.5;
/** An open-model load that loses more of its iterations than this was not held. */
export const MAX_DROPPED = 0.01;
/** A server that used less of its CPUs was not what its clients waited for. */
export const SERVER_IDLE = 0.5;
/** p99 needs this many samples to have ten beyond it. */
export const P99_SAMPLES = 1000;
/** Guards: above these shares a slice was disturbed (foreign CPU, time stolen by the hypervisor). */
export const FOREIGN_CPU = 0.1;
export const STEAL = 0.01;
/** Guard: the sampler woke this much too late, in ms, so the machine stood still. Steal alone misses such stalls. */
export const STALL = 50;
/** Bodies of one endpoint that differ by more than this are not the same answer. */
export const BODY_DIFFERENCE = 0.01;
/** Bytes are counted with headers, and servers differ in those. */
export const HEADER_BYTES = 300;
/** With fewer fresh starts an interval means next to nothing. */
export const FEW_INSTANCES = 3;
/** By about this share starts of one image differ in rates, which slices of a single start do not show. */
export const START_SPREAD = 0.01;
/** A server that uses more than this share of the servers' CPUs while others are loaded takes it from them. */
export const IDLE_CPU = 0.01;

/** A verdict of faster or slower: chance of a false one, over all primary tests of a question together. */
export const ALPHA = 0.01;
/** A smaller change is no 'faster' or 'slower', even if it is certain: it would not matter to anybody. */
export const MIN_EFFECT = 0.01;
/** 'No difference' needs the whole 99 % interval within ± this share. */
export const MARGIN = 0.03;
/** With fewer pairs of fresh starts there is no verdict, and no rank from paired tests. */
export const MIN_PAIRS = 4;
/** The most fresh starts that a budget is divided into. */
export const MAX_BUDGET_STARTS = 30;
/** With a larger share of its pairs of slices disturbed all of them count; with a larger share failed there is no verdict. */
export const MAX_GUARDED = 0.25;
/** From this share of its CPUs in use on, a server is at its limit: what a request costs is then what decides RPS. */
export const SATURATED = 0.9;
/** Probability with which a change of the size called detectable is found. */
export const POWER = 0.95;
