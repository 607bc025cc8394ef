import type { Docker } from '../../engine/docker.ts';

/** The health checks of a container: what they ask of a database is not the app's. */

export interface HealthProbe {
  /** Unix ms, by the engine's clock. */
  fromMs: number;
  toMs: number;
  /** It failed, so it may not have come to ask. */
  failed: boolean;
}

export interface Health {
  /** Arguments for `docker exec` that do what the check does. */
  command: readonly string[];
  intervalMs: number;
  /** The last five. */
  probes: readonly HealthProbe[];
}

/** Null: the container has no health check. */
export async function readHealth(docker: Docker, container: string): Promise<Health | null> {
  const format = '{{json .Config.Healthcheck}}\t{{json .State.Health}}';
  const { code, stdout } = await docker.try(['container', 'inspect', '--format', format, container]);
  return code === 0 ? parseHealth(stdout) : null;
}

/** Pure. */
export function parseHealth(text: string): Health | null {
  const [check, state] = text
    .trim()
    .split('\t')
    .map((json) => JSON.parse(json));
  const [kind, ...words]: string[] = check?.Test ?? [];
  if (kind !== 'CMD' && kind !== 'CMD-SHELL') return null;
  const log: { Start: string; End: string; ExitCode: number }[] = state?.Log ?? [];
  return {
    command: kind === 'CMD' ? words : ['sh', '-c', words.join(' ')],
    intervalMs: (check.Interval || 30e9) / 1e6,
    probes: log.map(({ Start, End, ExitCode }) => ({
      fromMs: Date.parse(Start),
      toMs: Date.parse(End),
      failed: ExitCode !== 0,
    })),
  };
}

/** Checks within a window of time, and whether one lies on its edge or failed, so that it may be counted in part. */
export function probesWithin(
  probes: readonly HealthProbe[],
  fromMs: number,
  toMs: number,
): { within: number; onEdge: boolean } {
  const met = probes.filter((probe) => probe.toMs >= fromMs && probe.fromMs <= toMs);
  const within = met.filter((probe) => probe.fromMs > fromMs && probe.toMs < toMs && !probe.failed);
  return { within: within.length, onEdge: within.length < met.length };
}

/** Those of both, once. */
export function joinProbes(known: readonly HealthProbe[], more: readonly HealthProbe[]): HealthProbe[] {
  return [...new Map([...known, ...more].map((probe) => [probe.fromMs, probe])).values()];
}

/** Whether a check that began before this moment would be known by now. */
export function isComplete({ probes, intervalMs }: Health, untilMs: number): boolean {
  const last = Math.max(...probes.map(({ toMs }) => toMs));
  return last + intervalMs > untilMs || probes.some(({ fromMs }) => fromMs > untilMs);
}
