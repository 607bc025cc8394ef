import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Command } from '../../config/command.ts';
import { refuseEngines } from '../../config/engine-key.ts';
import { realFiles } from '../../config/files.ts';
import { KEYS } from '../../config/keys.ts';
import { parseConfig } from '../../config/parse.ts';
import { nameHeaders } from '../../config/requests/headers.ts';
import { quote, unknownWord } from '../../config/text.ts';
import type { Config, Scenario } from '../../config/types.ts';
import { connectDocker } from '../../engine/docker.ts';
import { K6_IMAGE } from '../../engine/k6-image.ts';
import { UserError } from '../../errors.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import { inspectScripts } from '../../run/load/inspect.ts';
import { journeyModule, scriptEnvironment, sliceId } from '../../run/load/k6.ts';
import { k6LimitMs } from '../../run/load/k6-run.ts';
import { ARENA_FOLDER } from '../../run/load/probe.ts';
import { mostGenerators } from '../../run/load/segments.ts';
import { planForSite, siteK6Plan } from '../../run/load/site-load.ts';
import { sentBy } from '../../run/servers/target.ts';
import { makeRunId } from '../../stages/desk.ts';
import { removeTemporary } from '../../temporary.ts';
import { atEngine } from '../at-engine.ts';
import { type Ejected, refuseFull, writeEjected } from '../eject.ts';
import { readVersion, type Shell } from '../shell.ts';
import { EJECTED_FILE, writeEjectedLoad } from './ejected-load.ts';
import { type MountedFile, objectName, writeTestRun } from './testrun.ts';

type Asked = Extract<Command, { command: 'eject-load' }>;

/** `eject-load`: writes a scenario for clusters that run k6-operator. */
export async function ejectLoad(command: Asked, shell: Shell): Promise<number> {
  const { host, packageRoot, cwd, print } = shell;
  const asked = parseConfig({ flags: flagsOf(command), cwd, packageRoot });
  refuseEngines(asked, 'k6 reads a script once: --engine NAME');
  if (asked.loadFrom) {
    const hint = 'the pods of the cluster make this load: --segments N';
    throw new UserError('does not work here', { where: { name: 'load-engines' }, hint });
  }
  const folder = resolve(cwd, command.out ?? objectName(command.scenario));
  refuseFull(folder, realFiles);
  const run = makeRunId(host.now());
  try {
    const found = findScenario(asked, command.scenario);
    const scenario = await readScript(found, asked, run, command.baseUrl, shell);
    const files = await makeFiles(command, asked, scenario, await readVersion(packageRoot), packageRoot);
    await writeEjected(folder, files, realFiles);
  } finally {
    await removeTemporary(run);
  }
  print(`written to ${folder}: see README.md there`);
  return 0;
}

/** Paths and a journey are a scenario of their own; else the name decides. */
function flagsOf({ scenario, flags }: Asked): string[] {
  const own = flags.some((flag) => /^--(paths|journey|scenarios)(=|$)/.test(flag));
  return own ? [...flags] : ['--scenarios', scenario, ...flags];
}

function findScenario({ scenarios }: Pick<Config, 'scenarios'>, name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found) return found;
  throw unknownWord(
    'scenario',
    name,
    scenarios.map((scenario) => scenario.name),
  );
}

/** A user's script is read by k6 itself, which finds the files that it takes. */
async function readScript(
  scenario: Scenario,
  { engine, images }: Pick<Config, 'engine' | 'images'>,
  run: string,
  baseUrl: string,
  { host, packageRoot, cwd }: Shell,
): Promise<Scenario> {
  if (scenario.journey.kind !== 'script') return scenario;
  const k6Image = images[K6_IMAGE] ?? K6_IMAGE;
  const scenariosFolder = join(packageRoot, 'scenarios');
  return atEngine(host, engine, async (there) => {
    const docker = connectDocker(there.host);
    const has = await docker.try(['image', 'inspect', k6Image]).catch(() => null);
    if (has?.code !== 0) {
      throw new UserError('a k6 script is read by k6, whose image is missing', {
        ...{ found: quote(k6Image), hint: `${there.command.join(' ')} pull ${k6Image}` },
      });
    }
    const world = { docker, run, k6Image, scenariosFolder, cwd, baseUrl };
    const [inspected] = await inspectScripts(world, [scenario]);
    return inspected as Scenario;
  });
}

async function makeFiles(
  { baseUrl, segments }: Asked,
  config: Pick<Config, 'host' | 'headers' | 'images'>,
  scenario: Scenario,
  version: string,
  packageRoot: string,
): Promise<Ejected[]> {
  const batch = planForSite(scenario);
  // The operator refuses pods without a client.
  const most = scenario.load === null ? scenario.script?.mostVus : mostGenerators(batch.slices);
  if (segments > (most ?? 0)) {
    throw new UserError('more segments than clients', {
      ...{ where: { name: '--segments' }, found: String(segments) },
      allowed: `up to ${most}, as the load, or a step of it, has so many clients`,
    });
  }
  const name = objectName(scenario.name);
  const hostHeader = config.host === KEYS.host.default ? null : config.host;
  const plan = siteK6Plan(batch, { ...sentBy(config), host: hostHeader });
  const first = batch.slices[0] && sliceId(batch.slices[0]);
  const files: MountedFile[] = [
    ...(await readScenarioFiles(scenario, join(packageRoot, 'scenarios'))),
    { path: 'journey.js', bytes: Buffer.from(journeyModule(scenario)) },
    { path: 'plan.json', bytes: Buffer.from(JSON.stringify(plan)) },
  ];
  const testrun = writeTestRun(files, {
    ...{
      name,
      image: config.images[K6_IMAGE] ?? K6_IMAGE,
      segments,
      folder: ARENA_FOLDER,
      entry: 'lib/main.js',
    },
    env: {
      ...scriptEnvironment(baseUrl, first ?? '', plan.timeoutMs),
      K6_NO_USAGE_REPORT: 'true',
    },
    flags: [
      // The operator makes an archive first, in which k6 keeps variables of the pod from the script.
      ...(plan.userOptions ? ['--include-system-env-vars'] : []),
      // The operator sets tags of its own, which take the place of those in a script.
      ...(plan.ownScenarios ? ['--tag', `bench_slice=${first}`] : []),
    ],
  });
  const about = {
    version,
    k6: K6_IMAGE.split(':').at(-1) ?? '',
    baseUrl,
    segments,
    ...(config.headers && { headers: nameHeaders(config.headers) }),
    batch,
  };
  return [
    { path: 'testrun.yaml', text: testrun },
    { path: EJECTED_FILE, text: writeEjectedLoad(about) },
    { path: 'README.md', text: explain(name, batch, segments, baseUrl) },
  ];
}

/** Our scripts, the journey, and what a user's script takes, as k6 sees them in its folder. */
async function readScenarioFiles({ journey, script }: Scenario, ours: string): Promise<MountedFile[]> {
  const read = async (path: string, file: string) => ({ path, bytes: await readFile(file) });
  const lib = (await readdir(join(ours, 'lib'))).filter((file) => file.endsWith('.js')).sort();
  const files = await Promise.all(lib.map((file) => read(`lib/${file}`, join(ours, 'lib', file))));
  if (journey.kind !== 'script') {
    const file = `${journey.kind === 'paths' ? 'paths' : journey.name}.js`;
    return [...files, await read(`journeys/${file}`, join(ours, 'journeys', file))];
  }
  if (!script) throw new Error('the script was not inspected');
  const own = await readdir(script.folder, { recursive: true, withFileTypes: true });
  const paths = own.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const taken = paths.sort().map((path) => read(`user/${relative(script.folder, path)}`, path));
  return [...files, ...(await Promise.all(taken))];
}

/** How long a cluster may take to pull images and start all pods, ms. */
const PODS_MS = 10 * 60_000;

function explain(name: string, batch: Batch, segments: number, baseUrl: string): string {
  const minutes = Math.ceil((k6LimitMs(batch) + PODS_MS) / 60_000);
  return `# ${name}

The scenario \`${batch.scenario.name}\` as a \`TestRun\` of k6-operator: ${segments} pods share the load on ${baseUrl}.

    kubectl apply --server-side -f testrun.yaml
    kubectl wait --for=jsonpath='{.status.stage}'=finished --timeout=${minutes}m testrun/${name}
    mkdir -p pods
    for pod in $(kubectl get pods -l k6_cr=${name},runner=true -o name); do
      kubectl logs "$pod" >"pods/\${pod#pod/}.log"
    done
    php-runtime-bench report .

\`kubectl wait\` does not notice an error. If no pod starts, do not wait for its timeout:
\`kubectl get testrun/${name} -o jsonpath='{.status.stage}'\` shows the stage. In \`error\` or \`initialization\`, k6 could not
read the script, or its pod could not start: see \`kubectl logs job/${name}-initializer\` and
\`kubectl describe job/${name}-initializer\`.

\`kubectl delete -f testrun.yaml\` removes it all. To load another site, change \`BASE_URL\` in both places of \`testrun.yaml\`.
`;
}
