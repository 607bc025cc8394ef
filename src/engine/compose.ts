/** Changes to a user's compose file before a run starts it. Pure. */

import { NAMESPACE } from '../namespace.ts';
import { IMAGE_LABEL, LABEL } from './docker.ts';

/** Output of `docker compose config --format json`, with defaults and absolute paths. Unchanged parts have no type. */
export interface ComposeFile {
  name?: string;
  services?: Record<string, ComposeService>;
  networks?: Record<string, ComposeResource | null>;
  volumes?: Record<string, ComposeResource | null>;
  configs?: Record<string, { file?: string } | null>;
  secrets?: Record<string, { file?: string } | null>;
}

interface ComposeService {
  image?: string;
  platform?: string;
  /** Left out of what starts: `config` has applied them. */
  profiles?: unknown;
  build?: {
    context?: string;
    additional_contexts?: Record<string, string>;
    labels?: Record<string, string>;
  };
  labels?: Record<string, string>;
  networks?: Record<string, ServiceNetwork | null> | null;
  network_mode?: string;
  cpuset?: string;
  restart?: string;
  deploy?: { restart_policy?: unknown; replicas?: number };
  scale?: number;
  ports?: unknown;
  container_name?: string;
  volumes?: readonly Mount[];
  healthcheck?: HealthCheck;
  configs?: readonly { source?: string }[];
  secrets?: readonly { source?: string }[];
}

interface ServiceNetwork {
  ipv4_address?: string;
  ipv6_address?: string;
}

interface Mount {
  type?: string;
  source?: string;
  target?: string;
  read_only?: boolean;
}

/** Durations as `docker compose config` prints them: `1m30s`. */
interface HealthCheck {
  disable?: boolean;
  interval?: string;
  timeout?: string;
  start_period?: string;
  retries?: number;
}

interface ComposeResource {
  name?: string;
  external?: boolean;
  labels?: Record<string, string>;
  driver?: string;
  driver_opts?: Record<string, string>;
  ipam?: { config?: unknown };
  enable_ipv6?: boolean;
}

interface ComposeOptions {
  run: string;
  project: string;
  /** Base image → the image that takes its place. */
  images: Readonly<Record<string, string>>;
  /** In the kernel's list format. */
  cpus: string;
}

/** The compose project of a run. */
export function projectOf(run: string): string {
  return `php-runtime-bench-${run}`;
}

/**
 * The same services as one run may have them. All that they leave in the engine has the run's label and a name of the
 * run. They use only their CPUs, and images are mapped. No port is published, as they are reached by name in the arena.
 * A volume that has a name for good, and what somebody keeps in it, is not touched: a fresh one takes its place.
 */
export function adaptCompose(file: ComposeFile, options: ComposeOptions): ComposeFile {
  const { run, project, images, cpus } = options;
  const label = { [LABEL]: run };
  const services = mapValues(file.services ?? {}, (service, name): ComposeService => {
    const { ports: _, container_name: __, profiles: ___, networks, ...rest } = service;
    const image = service.image ?? `${NAMESPACE}/service-${name}:latest`;
    return {
      ...rest,
      image: service.build ? image : (images[image] ?? image),
      ...(service.build && { build: adaptBuild(service.build, name, images) }),
      labels: { ...service.labels, ...label },
      ...(networks && { networks: mapValues(networks, withoutAddress) }),
      cpuset: cpus,
      // One that died is to be seen, and none may come back after the run; a policy in `deploy` would win.
      restart: 'no',
      ...(rest.deploy && { deploy: { ...rest.deploy, restart_policy: { condition: 'none' } } }),
    };
  });
  const own = (resources: ComposeFile['networks'] = {}) =>
    mapValues(
      resources,
      (resource, key): ComposeResource =>
        resource?.external
          ? resource
          : {
              ...resource,
              name: `${project}_${key}`,
              labels: { ...resource?.labels, ...label },
            },
    );
  const networks = mapValues(own(file.networks), withoutRange);
  return { ...file, name: project, services, networks, volumes: own(file.volumes) };
}

/** The same without a range of addresses and a device, which the user's own project may use now. Docker chooses others. */
function withoutRange(network: ComposeResource): ComposeResource {
  if (network.external) return network;
  const { ipam, enable_ipv6, driver_opts, ...rest } = network;
  const { config, ...ownIpam } = ipam ?? {};
  const { 'com.docker.network.bridge.name': _, ...options } = driver_opts ?? {};
  return {
    ...rest,
    ...(ipam && { ipam: ownIpam }),
    // Engines before 27 have no range for IPv6 to choose from.
    ...(enable_ipv6 !== undefined && !config && { enable_ipv6 }),
    ...(driver_opts && { driver_opts: options }),
  };
}

/** Another service of the user's may have its address now, also in an external network. */
function withoutAddress(network: ServiceNetwork | null): ServiceNetwork | null {
  const { ipv4_address: _, ipv6_address: __, ...rest } = network ?? {};
  return network && rest;
}

/** Folders in which images of databases, queues and search engines keep their data. Others may have other things in `/data`. */
const DATA = [
  /^\/var\/lib\/(mysql|mongodb|redis|rabbitmq|clickhouse|manticore|postgresql(\/.+)?)$/,
  /^\/(meili_data(\/data\.ms)?|var\/opt\/mssql|var\/solr(\/data)?)$/,
  /^\/bitnami\/(mysql|mariadb|postgresql|mongodb|redis|valkey)(\/data(\/db)?)?$/,
  /^(\/data\/db|\/usr\/share\/(elasticsearch|opensearch)\/data)$/,
];
const KEPT_IN_DATA = /(^|\/)(redis|valkey|keydb|typesense)[\w-]*(:|@|$)/;

/** A folder of the machine, or a volume, that holds a database and would be written to. */
function isData({ image = '' }: ComposeService, { read_only, target = '' }: Mount): boolean {
  const folder = target.replace(/(?<=.)\/$/, '');
  const isKept = DATA.some((known) => known.test(folder));
  return !read_only && (isKept || (folder === '/data' && KEPT_IN_DATA.test(image)));
}

/**
 * The same with fresh volumes instead of folders of the machine and external volumes that hold a database: a second server in
 * one would destroy it. Services that share such a folder share its volume.
 */
export function withFreshData(file: ComposeFile): ComposeFile {
  const services = Object.values(file.services ?? {});
  const mounts = services.flatMap(
    (service) => service.volumes?.filter((mount) => isData(service, mount)) ?? [],
  );
  const sourcesOf = (type: string) =>
    new Set(mounts.flatMap((mount) => (mount.type === type ? (mount.source ?? []) : [])));
  const [folders, named] = [[...sourcesOf('bind')], sourcesOf('volume')];
  const nameOf = (source: string) => `bench-data-${folders.indexOf(source) + 1}`;
  const fresh = (mount: Mount): Mount =>
    mount.type === 'bind' && folders.includes(mount.source ?? '')
      ? {
          ...{ type: 'volume', source: nameOf(mount.source ?? ''), target: mount.target ?? '' },
          ...(mount.read_only && { read_only: true }),
        }
      : mount;
  const volumes = mapValues(file.volumes ?? {}, (volume, key) =>
    !named.has(key) ? volume : volume?.external ? null : withoutDevice(volume),
  );
  return {
    ...file,
    services: mapValues(file.services ?? {}, (service) => ({
      ...service,
      ...(service.volumes && { volumes: service.volumes.map(fresh) }),
    })),
    volumes: { ...volumes, ...Object.fromEntries(folders.map((source) => [nameOf(source), null])) },
  };
}

/** A volume with a device may be a folder, a disk or a share that others use, unless it is in memory. */
function withoutDevice(volume: ComposeResource | null): ComposeResource | null {
  const { device, type } = volume?.driver_opts ?? {};
  if (!device || type === 'tmpfs' || device === 'tmpfs') return volume;
  const { driver: _, driver_opts: __, ...rest } = volume ?? {};
  return rest;
}

/** How long the services may take to become healthy, by their own checks, s. */
export function healthySeconds({ services = {} }: ComposeFile): number {
  const all = Object.values(services).flatMap(({ healthcheck }) => {
    if (!healthcheck || healthcheck.disable) return [];
    // A check that fails rarely takes all of the 30 s that it has by default.
    const { interval = '30s', timeout = '0s', start_period = '0s', retries = 3 } = healthcheck;
    const [each, limit, start] = [interval, timeout, start_period].map(secondsOf) as [number, number, number];
    return [start + retries * (each + limit)];
  });
  return Math.ceil(Math.max(0, ...all));
}

/** `1m30s`, `1.5s`, `500ms` */
function secondsOf(duration: string): number {
  const units = { h: 3600, m: 60, s: 1, ms: 0.001, us: 1e-6, ns: 1e-9 };
  const parts = [...duration.matchAll(/([\d.]+)(h|ms|m|us|ns|s)/g)];
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * units[unit as keyof typeof units], 0);
}

function adaptBuild(
  build: NonNullable<ComposeService['build']>,
  name: string,
  images: ComposeOptions['images'],
) {
  const contexts = mapValues({ ...images }, (image) => `docker-image://${image}`);
  return {
    ...build,
    additional_contexts: { ...contexts, ...build.additional_contexts },
    labels: { ...build.labels, [IMAGE_LABEL]: name },
  };
}

/** A setting of a service that a run cannot support. */
interface Unfit {
  /** `db: deploy.replicas: 3` */
  found: string;
  allowed: string;
}

/** The first service that is not one container, or that the app could not reach by its name; null: there is none. */
export function findUnfit({ services = {} }: ComposeFile): Unfit | null {
  for (const [name, { scale, deploy, network_mode: mode }] of Object.entries(services)) {
    for (const [key, count] of Object.entries({ scale, 'deploy.replicas': deploy?.replicas })) {
      if (count !== undefined && count !== 1)
        return { found: `${name}: ${key}: ${count}`, allowed: 'one container for each service' };
    }
    if (mode !== undefined && mode !== 'none' && !mode.startsWith('service:')) {
      return {
        found: `${name}: network_mode: ${mode}`,
        allowed: "networks of the compose file (the app finds the service by name), 'service:NAME' or 'none'",
      };
    }
  }
  return null;
}

/** A file or folder of this machine that a service wants. */
interface LocalFile {
  path: string;
  /** `db: volumes: /home/me/db` */
  found: string;
}

/** All of them: an engine on another machine may not have them. */
export function findLocalFiles(file: ComposeFile): LocalFile[] {
  return Object.entries(file.services ?? {}).flatMap(([name, service]) => {
    const bound = service.volumes?.map(({ type, source }) => (type === 'bind' ? source : undefined));
    const given = (kind: 'configs' | 'secrets') =>
      service[kind]?.map(({ source = '' }) => file[kind]?.[source]?.file);
    const all = { volumes: bound, configs: given('configs'), secrets: given('secrets') };
    return Object.entries(all).flatMap(([kind, paths = []]) =>
      paths.flatMap((path) => (path === undefined ? [] : [{ path, found: `${name}: ${kind}: ${path}` }])),
    );
  });
}

/** Names of external volumes for which others were taken. */
export function findReplaced(file: ComposeFile, fresh: ComposeFile): string[] {
  const volumes = Object.entries(file.volumes ?? {});
  return volumes.flatMap(([key, volume]) =>
    volume?.external && !fresh.volumes?.[key]?.external ? [volume.name ?? key] : [],
  );
}

/** Names of the networks through which services are reached. */
export function networksOf(file: ComposeFile): string[] {
  const used = new Set(
    Object.values(file.services ?? {}).flatMap(({ networks }) => Object.keys(networks ?? {})),
  );
  return [...used].flatMap((key) => file.networks?.[key]?.name ?? []);
}

/** Images that are pulled, not built, be it for another service, and the platform that a service sets. */
export function imagesOf(file: ComposeFile): Map<string, string | undefined> {
  const services = Object.values(file.services ?? {});
  const built = new Set(services.flatMap(({ build, image }) => (build ? [image] : [])));
  const pulled = services.flatMap(({ image, platform }) =>
    image === undefined || built.has(image) ? [] : [[image, platform] as const],
  );
  return new Map(pulled);
}

export function mapValues<T, U>(
  map: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
}
