import type { Place } from '../errors.ts';
import type { Gate } from '../results/comparison.ts';
import type { Counter } from '../results/count-names.ts';
import type { Quantile } from '../results/quantiles.ts';
import type { PhpNeed } from './php/constraint.ts';
import type { ScriptFacts } from './requests/script-facts.ts';

/** The nouns that every step after `config` works with. Everything here is validated and complete. */

export type OptionValue = string | number | boolean;

/** One option of a runtime, as its manifest declares it. */
export interface OptionSpec {
  type: 'integer' | 'boolean' | 'enum' | 'duration' | 'size';
  default: OptionValue;
  /** For integers; `values` for enums. */
  min?: number;
  max?: number;
  values?: readonly string[];
  /** `run`: an environment variable read by the entry point; `build`: a build argument; `front`: what stands before it. */
  at: 'run' | 'build' | 'front';
  /** Name of the environment variable or build argument. */
  env: string;
  about: string;
}

/** The kind of an app: how a process that stays in memory calls it. */
export type AppKind = 'plain' | 'psr15' | 'symfony' | 'laravel' | 'lumen';

/** A folder in `runtimes/` (or the user's `.bench/runtimes/`): the parsed `runtime.yaml`. */
export interface Runtime {
  name: string;
  /** Absolute path of the folder with Dockerfile and runtime.yaml. */
  folder: string;
  title: string;
  model: 'per-request' | 'long-lived';
  /** Images that the Dockerfile builds on; `{php}` means the PHP version. */
  base: readonly string[];
  php: readonly string[];
  options: Readonly<Record<string, OptionSpec>>;
  apps: readonly AppKind[];
  /** Options by which a `per-request` runtime keeps the app in memory, and the kinds of app it then serves. */
  longLived?: { when: Readonly<Record<string, readonly string[]>>; apps: readonly AppKind[] };
  /** Packages without which it cannot serve an app: `laravel/octane`. */
  requires: readonly string[];
  /** PHP extensions that cannot be loaded beside its own: `ftp`. */
  conflicts?: readonly string[];
  /** Packages with the major version that an app must be below: `symfony/http-kernel` → 7. */
  below?: Readonly<Record<string, number>>;
  /** Whether its web server obeys `.htaccess` files. */
  htaccess?: boolean;
  /** Names in `$_SERVER` that it has also where a request has nothing of the kind, and others have not. */
  extraVariables?: readonly string[];
  /** Names in `$_SERVER` that it never has, and others have. */
  missingVariables?: readonly string[];
  /** Value of SERVER_PORT, whatever port a request names; absent: that port. */
  serverPort?: number;
  /** Whether a connection that is kept open takes one of its `workers`, idle or not. */
  workerPerConnection?: boolean;
  /** Kinds of app that its processes do not load through worker.php, so nothing is sampled or counted in them. */
  unprofiled?: readonly AppKind[];
  /** Option → values with which its pool of processes shrinks while it has no load; an empty list: a number above `workers`. */
  elastic: Readonly<Record<string, readonly string[]>>;
  /** Option → values with which requests are lost as `max-requests` replaces a process. */
  losesRequests?: Readonly<Record<string, readonly string[]>>;
  stop: { signal: string; timeoutMs: number; inFlight: string };
  status: string;
  /** With which versions it was last seen serving, and when; absent: it was not. */
  tried?: string;
  docs: string;
  /** The proxy that its option `front` starts before it: an image of its own, in a container of its own. */
  front?: Runtime;
  /** The separate image in which instructions of its apps are counted. */
  counter?: Runtime;
  /** Name of the runtime that it is under other defaults: `folder`, and so the image, is that one's. */
  extends?: string;
}

/** A runtime as the user chose it: `small=nginx-fpm[workers=4]`. */
export interface RuntimeChoice {
  runtime: Runtime;
  /** Only what was set; canonical values (`true`, `80`, `5s`). */
  set: Readonly<Record<string, OptionValue>>;
  as?: string;
}

export interface App {
  /** Folder name, unless given. */
  name: string;
  /** Absolute path. */
  folder: string;
  /** Document root relative to the folder: `public`, `web`, `.` … */
  root: string;
  /** Its index.php is not there yet: Composer makes it, or a command of `prepare`. */
  makesIndex?: true;
  /** A `.htaccess` file with rules of its own: in the app's document root, in its root, or in a folder of a path; absent: there is none. */
  htaccess?: string;
  /** Development packages that it is served with, by name; absent: none, or Composer installs anew. */
  devPackages?: readonly string[];
  kind: AppKind;
  /** Whether it has a `handler.php`, which servers that keep an app in memory call. */
  handler: boolean;
  /** PHP extensions that it takes, beyond those of the official images. */
  extensions: readonly string[];
  /** Extensions that it requires, and that official images have only for older versions of PHP. Absent: none. */
  dropped?: readonly string[];
  /** Extensions that it requires and does not get, as given: `:imap`. Absent: none. */
  leftOut?: readonly string[];
  /** Packages that its composer.json requires, by name. */
  packages: readonly string[];
  /** Requirements of its files on the version of PHP; absent: none are known. */
  php?: readonly PhpNeed[];
  /** Its packages with the major versions that they have or may get, and the words for them: `^6.4 in composer.json`. */
  versions?: Readonly<Record<string, { from: number; to: number; written: string }>>;
}

export type Segment =
  | { kind: 'line'; fromRps: number; toRps: number; ms: number }
  | { kind: 'const'; rps: number; ms: number }
  | { kind: 'step'; fromRps: number; toRps: number; byRps: number; ms: number }
  | { kind: 'vus'; vus: number; ms: number }
  /** 0: what a script does before and after its load is all. */
  | { kind: 'requests'; requests: number; vus: number };

/** How hard: one or several segments after each other. One slice gets all of it. */
export interface Load {
  /** As the user wrote it. */
  source: string;
  segments: readonly Segment[];
}

export type Journey =
  /** GET each path in turn, an equal share each. */
  | { kind: 'paths'; paths: readonly string[] }
  /** A bundled journey: takes its target per request from scenarios/lib, so one k6 process serves all variants. */
  | { kind: 'bundled'; name: string; file: string }
  /** The user's own k6 script: one k6 process per variant, `BASE_URL` set. */
  | { kind: 'script'; name: string; file: string };

/** Pass criteria. Ratios 0…1, times in ms. */
export interface Slo extends Partial<Record<`${Quantile}Ms`, number>> {
  okRatio?: number;
  /** Share in which each `check` has to pass. */
  checksRatio?: number;
}

export interface Scenario {
  name: string;
  title: string;
  journey: Journey;
  /** Null: the user's script declares its own `options.scenarios`, those are the load. */
  load: Load | null;
  timeoutMs: number;
  warmupMs: number;
  /** Slices of each variant per instance. */
  blocks: number;
  /** Cap on concurrency for open-model load (Tank's 'instances'); default: from the rate and the warm-up. */
  maxVus?: number;
  /** False: a new connection for each request. */
  reuse: boolean;
  slo: Slo;
  /** Bodies differ between variants, as they name the server: only status and type have to be alike. Left out: all has. */
  verify?: 'status';
  /** Facts about a k6 script, once `src/run/load/inspect.ts` has looked at it. */
  script?: ScriptFacts;
}

/** `compare-to` as it was written. */
export interface CompareTo {
  given: string;
  /** The same, taken for a path. */
  path: string;
  where: Place;
}

/** The folder in the other commit, relative to its top, or the reason why it is missing there. */
export type Whereabouts = { folder: string } | { missing: string };

/** An app as it is in the other commit; absent: as in the checkout. Extensions are those of both sides together. */
export interface OtherApp extends Partial<Pick<App, 'php' | 'extensions' | 'packages'>> {
  /** Relative to the top of the repository. */
  folder: string;
  root: string;
  /** Its packages are others: Composer installs them anew, on both sides. */
  install: boolean;
}

/** The base of `compare-to`: what stands there instead of the app as it is checked out. */
export type Other = {
  /** In labels, as it was written: `base`, `HEAD~1`. */
  given: string;
  /** The ref that this means: `origin/main`. */
  ref: string;
} & (
  | {
      kind: 'commit';
      commit: string;
      /** By name of the app. */
      apps: Readonly<Record<string, OtherApp | { missing: string }>>;
      /** By name, those that are not ours: a project's own runtimes that lie in its repository. */
      runtimes: Readonly<Record<string, Whereabouts>>;
    }
  /** It serves on $PORT, as our runtimes do. */
  | { kind: 'image'; image: string }
  /** The very images of this side: what differs then is noise. */
  | { kind: 'itself' }
  /** Nothing runs beside the app: an older results.json, or nothing was found, for a reason that is not the input's. */
  | { kind: 'none'; commit: string | null; reason: string | null }
);

/** Among the rules of `fail-on`: whether a run passes in which one of them could not be judged. */
export interface Unjudged {
  source: string;
  unjudged: 'fail' | 'pass';
}

/** A name of a variant, and where it stands as long as it is to be checked: when all variants are known. */
interface VariantName {
  name: string;
  unchecked?: Place;
}

/** `tune`: this option with each of these values, by default with powers of two. */
export interface Tune {
  option: string;
  values?: readonly number[];
}

/** A part of a comparison that runs on a machine of its own: `2/3`. Counted from 1. */
export interface Shard {
  index: number;
  of: number;
}

/** `services`: a compose file or a database, and how each variant gets a database of its own. */
export interface ServicesChoice {
  /** Absolute path; of a database its image. */
  file: string;
  /** The text of the compose file, where `file` is an image. */
  compose?: string;
  /** By name of the service: a shell command in its container, before a variant starts. */
  reset: Readonly<Record<string, string>>;
}

/** As `engine` names them, and where they find the servers. */
export interface LoadFrom {
  engines: readonly string[];
  address: string;
}

export interface RunOptions {
  apps: readonly App[];
  runtimes: readonly RuntimeChoice[];
  /** `8.2`, `8.4` … */
  php: readonly string[];
  scenarios: readonly Scenario[];
  /** Wall time for the load phase, ms; instances and blocks are planned for it. */
  budgetMs?: number;
  /** Share of their time that loads were shortened to; left out: none were. Scenarios have it in their load already. */
  durationScale?: number;
  /** Host header of every request: a name, with a port where it is not 80. */
  host: string;
  /** Other headers of every request, by canonical name; left out: none. Values may be secrets. */
  headers?: Readonly<Record<string, string>>;
  /** Fresh starts of all containers; left out: as the load suggests. */
  instances?: number;
  /** Recorded; the same seed gives the same order. */
  seed: number;
  /** CPU numbers; left out: found from the topology. */
  serverCpus?: readonly number[];
  /** CPUs of the proxy that the option `front` starts; absent: those of the servers. */
  frontCpus?: readonly number[];
  loadCpus?: readonly number[];
  /** Base image → the image that takes its place. */
  images: Readonly<Record<string, string>>;
  /** Commands of the app's own, run while it is built. */
  prepare: readonly string[];
  /** Services that the app needs beside its server. */
  services?: ServicesChoice;
  /** A shell command in each variant's own container, once it answers. */
  setUp?: string;
  /** The app's environment. `BENCH_INI` in it holds its PHP settings, as lines of a php.ini. */
  env: Readonly<Record<string, string>>;
  /** Regular expressions of what may differ between variants' answers. */
  mask?: readonly string[];
  /** A variant that answers differently is warned of; left out: it is failed. */
  sameAnswers?: 'warn';
  /** Memory limit of each server's container, bytes. */
  memoryBytes?: number;
  /** The place that keeps layers of builds between runs; left out: only the engine does. */
  buildCache?: 'gha';
  /** Also time fresh starts with hyperfine. */
  coldStart?: boolean;
  /** Also sample where CPU time goes: variants and runtimes by name; empty: all. */
  profile?: readonly VariantName[];
  /** Also search the highest constant rate that each variant holds. */
  capacity?: boolean;
  /** A docker context, or a URL as DOCKER_HOST takes it; left out: docker chooses. */
  engine?: string;
  loadFrom?: LoadFrom;
  /** Counters of work per request, after the verdict; absent: none. */
  count?: readonly Counter[];
  /** Two or more, each of which measures a share of the variants, and the repository by which they share images. */
  engines?: readonly string[];
  registry?: string;
  /** Wait for another run on the same engine instead of refusing. */
  wait: boolean;
}

/** Options of a comparison. */
export interface CompareOptions {
  compareTo?: CompareTo;
  /** The meaning of `compareTo`, once `src/checkout/` has found it. */
  other?: Other;
  /** Label or id of the variant that others are compared with; left out: the first. */
  reference?: VariantName;
  /** Only this part of the variants, and the reference. */
  shard?: Shard;
  /** The option whose values are compared. */
  tune?: string;
}

/** How to report: where results go, and which differences fail the run. */
export interface ReportOptions {
  /** Outcome of the run if a gate could not be judged; left out: it fails. */
  unjudged?: Unjudged['unjudged'];
  failOn: readonly (Gate & Pick<VariantName, 'unchecked'>)[];
  /** Absolute path of the output folder. */
  out: string;
}

export interface Config extends RunOptions, CompareOptions, ReportOptions {}
