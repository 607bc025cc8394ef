/** Requests of a script with this tag have a row of their own. */
export interface ScriptLabel {
  /** As tables show it, and as k6 selects it: `group ::checkout`, `group:::checkout`. */
  name: string;
  tag: string;
}

/** Facts about a user's k6 script, known before it loads anything. */
export interface ScriptFacts {
  /** Folder with a copy of all files that it takes, laid out as in the project folder `root`, and the script in it. */
  folder: string;
  entry: string;
  root: string;
  /** How long its own load takes, after how long k6 ends it, ms, and its clients at most; null: iterations decide, or it has none. */
  loadMs: number | null;
  mostMs: number | null;
  mostVus: number | null;
  /** Which executors of its own load have an arrival rate; `none` if the load comes from outside. */
  rates: 'all' | 'some' | 'none';
  /** `aborts`: k6 alone would end the test where it is missed. */
  thresholds: readonly { metric: string; condition: string; aborts: boolean }[];
  labels: readonly ScriptLabel[];
}
