import type { Command } from '../config/command.ts';
import { at } from '../config/document.ts';
import { parseEngine, refuseEngines } from '../config/engine-key.ts';
import { readFlags } from '../config/keys/flags.ts';
import { parseConfig } from '../config/parse.ts';
import { splitList } from '../config/text.ts';
import type { Config } from '../config/types.ts';
import { askEngine, connectDocker } from '../engine/docker.ts';
import { K6_IMAGE } from '../engine/k6-image.ts';
import { diagnose, diagnoseBeside, isElsewhere, lookAround } from '../engine/machine/doctor.ts';
import { UserError } from '../errors.ts';
import { renderNoise } from '../report/noise.ts';
import { atEngine } from './at-engine.ts';
import { measureItself } from './doctor-aa.ts';
import { makeShellCaller, readMachine, type Shell } from './shell.ts';

type Asked = Extract<Command, { command: 'doctor' }>;

/** `doctor`: whether this machine is fit to measure. */
export async function examine(command: Asked, shell: Shell): Promise<number> {
  const { host, packageRoot, cwd, print } = shell;
  const machine = await readMachine(host);
  // With a configuration that is wrong the machine can be looked at all the same.
  const beside = tryConfig(() => parseConfig({ flags: command.flags, cwd, packageRoot }));
  const engines = 'message' in beside ? readFlaggedEngines(command.flags) : beside;
  refuseEngines(engines, 'look at one after the other: doctor --engine NAME');
  const findings = await atEngine(host, engines.engine, async (there, run) => {
    const image = 'images' in beside ? (beside.images[K6_IMAGE] ?? K6_IMAGE) : K6_IMAGE;
    const engine = await askEngine(connectDocker(there.host));
    const where = { here: machine, isElsewhere: isElsewhere(there.isRemote, engine) };
    const site = await lookAround(there.host, { ...where, image, run });
    return [
      ...(await diagnose(there.host, site, engine)),
      ...(await diagnoseBeside(host, site.machine, beside, there.isRemote)),
    ];
  });
  if (!command.json) print(findings.map((f) => `${f.ok ? 'ok  ' : 'note'}  ${f.what}`).join('\n'));
  if (!command.aa) {
    if (command.json) print(JSON.stringify(findings, null, 2));
    return 0;
  }
  const config = parseConfig({ flags: command.flags, cwd, packageRoot });
  const { progress, ...caller } = await makeShellCaller(shell);
  const found = await measureItself(config, host, caller);
  progress.end();
  print(command.json ? JSON.stringify({ findings, ...found }, null, 2) : renderNoise(found));
  return found.exitCode;
}

/** A configuration, or the message of what is wrong with it. */
function tryConfig(read: () => Config): Config | { message: string } {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return { message: error.format() };
    throw error;
  }
}

/** Only flags choose the engine here. Errors: UserError for a wrong flag. */
function readFlaggedEngines(flags: readonly string[]): Pick<Config, 'engine' | 'engines'> {
  const { engine, engines } = readFlags(flags);
  const key = engines === undefined ? 'engine' : 'engines';
  const [first, ...more] = at({ name: `--${key}` }, () =>
    splitList(`${engines ?? engine ?? ''}`)
      .filter(Boolean)
      .map(parseEngine),
  );
  if (first === undefined) return {};
  return more.length > 0 ? { engines: [first, ...more] } : { engine: first };
}
