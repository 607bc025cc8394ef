import { describe, expect, test } from 'vitest';
import {
  adaptCompose,
  findLocalFiles,
  findReplaced,
  findUnfit,
  healthySeconds,
  imagesOf,
  networksOf,
  withFreshData,
} from './compose.ts';

const options = {
  run: 'r1',
  project: 'php-runtime-bench-r1',
  images: { 'mariadb:11': 'mirror.example/mariadb:11' },
  cpus: '3-4',
};
const ours = { 'php-runtime-bench': 'r1' };

describe('adaptCompose', () => {
  test('labels and pins what is started, maps its image, publishes nothing', () => {
    const file = {
      services: {
        db: {
          image: 'mariadb:11',
          container_name: 'db',
          restart: 'always',
          ports: [{ target: 3306, published: '3306' }],
          environment: { MARIADB_ROOT_PASSWORD: 'a$$b' },
          labels: { mine: 'kept' },
          networks: { default: null },
        },
      },
      networks: { default: { name: 'php-runtime-bench-r1_default', ipam: {} } },
    };
    expect(adaptCompose(file, options)).toEqual({
      name: 'php-runtime-bench-r1',
      services: {
        db: {
          image: 'mirror.example/mariadb:11',
          restart: 'no',
          cpuset: '3-4',
          environment: { MARIADB_ROOT_PASSWORD: 'a$$b' },
          labels: { mine: 'kept', ...ours },
          networks: { default: null },
        },
      },
      networks: { default: { name: 'php-runtime-bench-r1_default', ipam: {}, labels: ours } },
      volumes: {},
    });
  });

  test('a volume with a name for good is left alone, a fresh one takes its place', () => {
    const file = { services: {}, volumes: { data: { name: 'production' }, scratch: null } };
    expect(adaptCompose(file, options).volumes).toEqual({
      data: { name: 'php-runtime-bench-r1_data', labels: ours },
      scratch: { name: 'php-runtime-bench-r1_scratch', labels: ours },
    });
  });

  test('the data of a database on this machine are left alone, a fresh volume takes their place', () => {
    const bind = (source: string, target: string, more = {}) => ({ type: 'bind', source, target, ...more });
    const kept = [
      bind('/home/me/init.sql', '/docker-entrypoint-initdb.d/init.sql'),
      bind('/home/me/seed', '/var/lib/mysql', { read_only: true }),
      // Of other images this is a folder like any other, and in it are files.
      bind('/home/me/fixtures', '/data'),
      bind('/home/me/init.sql', '/data/application/init.sql'),
      bind('/home/me/my.cnf', '/bitnami/mysql/conf/my_custom.cnf'),
      { type: 'volume', source: 'ram', target: '/var/lib/mysql' },
      { type: 'volume', source: 'conf', target: '/etc/mysql/conf.d' },
    ];
    const device = (device: string, o = 'bind') => ({
      driver: 'local',
      driver_opts: { type: 'none', o, device },
    });
    const volumes = {
      ram: device('tmpfs', 'size=1g'),
      conf: device('/home/me/conf'),
      disk: device('/home/me/pg'),
    };
    const file = withFreshData({
      services: {
        my: { image: 'mysql:8', volumes: [bind('/home/me/my', '/var/lib/mysql/'), ...kept] },
        chown: { image: 'busybox', volumes: [bind('/home/me/my', '/data/db')] },
        pg: {
          image: 'postgres:17',
          volumes: [{ type: 'volume', source: 'disk', target: '/var/lib/postgresql/data' }],
        },
        cache: { image: 'docker.io/library/redis:8', volumes: [bind('/home/me/redis', '/data')] },
        backup: { image: 'x', volumes: [bind('/home/me/my', '/backup', { read_only: true })] },
      },
      volumes,
    });
    const fresh = (number: number, target: string) => ({
      type: 'volume',
      source: `bench-data-${number}`,
      target,
    });
    expect(file.services?.my?.volumes).toEqual([fresh(1, '/var/lib/mysql/'), ...kept]);
    expect(file.services?.chown?.volumes).toEqual([fresh(1, '/data/db')]);
    expect(file.services?.cache?.volumes).toEqual([fresh(2, '/data')]);
    expect(file.services?.backup?.volumes).toEqual([{ ...fresh(1, '/backup'), read_only: true }]);
    expect(file.volumes).toEqual({ ...volumes, disk: {}, 'bench-data-1': null, 'bench-data-2': null });
    expect(adaptCompose(file, options).volumes?.['bench-data-1']).toEqual({
      ...{ name: 'php-runtime-bench-r1_bench-data-1', labels: ours },
    });
    expect(JSON.stringify(findLocalFiles(file))).not.toMatch(/me\/(my|redis)"/);
  });

  test.each([
    ['mysql:8', '/var/lib/mysql', true],
    ['postgres:18', '/var/lib/postgresql/18/docker', true],
    ['postgres:17', '/var/lib/postgresql/data/pgdata', true],
    ['bitnami/mysql:8', '/bitnami/mysql/data', true],
    ['bitnami/redis', '/bitnami/redis/data/', true],
    ['bitnami/mongodb', '/bitnami/mongodb', true],
    ['redis/redis-stack-server:7', '/data', true],
    ['elasticsearch:8', '/usr/share/elasticsearch/data', true],
    ['rabbitmq:4-management', '/var/lib/rabbitmq', true],
    ['getmeili/meilisearch:v1.24', '/meili_data/', true],
    ['mcr.microsoft.com/mssql/server:2022-latest', '/var/opt/mssql', true],
    ['solr:9', '/var/solr/data', true],
    ['typesense/typesense:29.0', '/data', true],
    ['minio/minio', '/data', false],
    ['rabbitmq:4', '/var/lib/rabbitmq/definitions.json', false],
    ['mysql:8', '/var/lib/mysql-files', false],
    ['mysql:8', '/etc/mysql/conf.d', false],
    ['bitnami/mysql:8', '/bitnami/mysql/conf', false],
  ])('the data of a database: %s, %s: %s', (image, target, isData) => {
    const volumes = [
      { type: 'bind', source: '/home/me/x', target },
      { type: 'volume', source: 'share', target },
    ];
    const share = { driver_opts: { type: 'nfs', o: 'addr=10.0.0.5,rw', device: ':/export' } };
    const file = withFreshData({ services: { db: { image, volumes } }, volumes: { share } });
    expect(file.services?.db?.volumes?.[0]?.type).toBe(isData ? 'volume' : 'bind');
    expect(file.volumes?.share).toEqual(isData ? {} : share);
    const external = { share: { name: 'theirs', external: true } };
    const given = { services: { db: { image, volumes } }, volumes: external };
    const fresh = withFreshData(given);
    expect(fresh.volumes?.share).toEqual(isData ? null : external.share);
    expect(findReplaced(given, fresh)).toEqual(isData ? ['theirs'] : []);
  });

  test('what belongs to somebody else is used as it is', () => {
    const external = { name: 'theirs', external: true };
    const file = { services: {}, networks: { wan: external }, volumes: { disk: external } };
    expect(adaptCompose(file, options)).toMatchObject({
      networks: { wan: external },
      volumes: { disk: external },
    });
    expect(adaptCompose(file, options).volumes?.disk).toEqual(external);
  });

  test('the addresses of a project that runs now are left to it', () => {
    const wan = { name: 'wan', external: true, ipam: { config: [{ subnet: '10.9.0.0/24' }] } };
    const bridge = { 'com.docker.network.bridge.name': 'br-shop', 'com.docker.network.driver.mtu': '1400' };
    const fixed = { ipv4_address: '172.28.0.10', ipv6_address: 'fd00:28::10' };
    const file = {
      services: {
        db: { image: 'mariadb:11', networks: { default: { ...fixed, aliases: ['sql'] }, wan: fixed } },
      },
      networks: {
        default: {
          ipam: { driver: 'default', config: [{ subnet: '172.28.0.0/16' }, { subnet: 'fd00:28::/64' }] },
          ...{ enable_ipv6: true, driver_opts: bridge },
        },
        six: { ipam: {}, enable_ipv6: true },
        wan,
      },
    };
    const { services, networks } = adaptCompose(file, options);
    expect(services?.db?.networks).toEqual({ default: { aliases: ['sql'] }, wan: {} });
    expect(networks).toEqual({
      default: {
        ...{ name: 'php-runtime-bench-r1_default', labels: ours, ipam: { driver: 'default' } },
        driver_opts: { 'com.docker.network.driver.mtu': '1400' },
      },
      six: { name: 'php-runtime-bench-r1_six', labels: ours, ipam: {}, enable_ipv6: true },
      wan,
    });
  });

  test('a service of a profile that was chosen starts without it', () => {
    const file = { services: { search: { image: 'opensearch:3', profiles: ['search'] } } };
    expect(adaptCompose(file, options).services?.search).not.toHaveProperty('profiles');
  });

  test('a service that is built has its base images mapped, and a name that its next build replaces', () => {
    const file = { services: { search: { build: { context: '/app/search' } } } };
    expect(adaptCompose(file, options).services?.search).toMatchObject({
      image: 'php-runtime-bench/service-search:latest',
      build: {
        context: '/app/search',
        additional_contexts: { 'mariadb:11': 'docker-image://mirror.example/mariadb:11' },
      },
    });
  });
});

test('the arena joins the networks that services are in, images are pulled unless they are built', () => {
  const file = {
    services: {
      db: { image: 'mariadb:11', networks: { back: null } },
      cache: { image: 'redis:7', platform: 'linux/amd64', networks: { back: null, default: null } },
      search: { image: 'search:dev', build: {}, networks: { default: null } },
      indexer: { image: 'search:dev', networks: { default: null } },
    },
    networks: { back: { name: 'x_back' }, default: { name: 'x_default' }, unused: { name: 'x_unused' } },
  };
  expect(networksOf(file)).toEqual(['x_back', 'x_default']);
  expect([...imagesOf(file)]).toEqual([
    ['mariadb:11', undefined],
    ['redis:7', 'linux/amd64'],
  ]);
});

test.each([
  [{ scale: 3 }, 'db: scale: 3'],
  [{ scale: 0 }, 'db: scale: 0'],
  [{ deploy: { replicas: 2 } }, 'db: deploy.replicas: 2'],
  [{ network_mode: 'host' }, 'db: network_mode: host'],
  [{ network_mode: 'bridge' }, 'db: network_mode: bridge'],
  [{ network_mode: 'container:other' }, 'db: network_mode: container:other'],
])('a service that is not one container, or that has no name to the app, is refused: %j', (asked, found) => {
  const services = { cache: { image: 'redis:7' }, db: { image: 'mariadb:11', ...asked } };
  expect(findUnfit({ services })).toMatchObject({ found });
});

test.each([
  { scale: 1, deploy: { replicas: 1 } },
  { network_mode: 'none' },
  { network_mode: 'service:cache' },
])('what a run can give is taken: %j', (asked) => {
  const services = { cache: { image: 'redis:7' }, db: { image: 'mariadb:11', ...asked } };
  expect(findUnfit({ services })).toBeNull();
});

test('all files of this machine are found, for an engine on another one', () => {
  const [configs, secrets] = [{ own: { file: '/home/me/my.cnf' } }, { own: { file: '/home/me/password' } }];
  const bind = (source: string) => ({ type: 'bind', source });
  const own = [{ source: 'own' }];
  const services = {
    cache: { image: 'redis:7', secrets: own },
    db: { image: 'mariadb:11', volumes: [bind('/etc/localtime'), bind('/home/me/db')], configs: own },
  };
  expect(findLocalFiles({ services, configs, secrets })).toEqual([
    { path: '/home/me/password', found: 'cache: secrets: /home/me/password' },
    { path: '/etc/localtime', found: 'db: volumes: /etc/localtime' },
    { path: '/home/me/db', found: 'db: volumes: /home/me/db' },
    { path: '/home/me/my.cnf', found: 'db: configs: /home/me/my.cnf' },
  ]);
});

test('what goes to another machine with the service is taken', () => {
  const volumes = [{ type: 'volume', source: 'data' }, { type: 'tmpfs' }];
  const services = { db: { image: 'mariadb:11', volumes, configs: [{ source: 'own' }] } };
  expect(findLocalFiles({ services, configs: { own: {}, unused: { file: '/home/me/x' } } })).toEqual([]);
});

test.each([
  [{}, 0],
  [{ healthcheck: { disable: true, retries: 100 } }, 0],
  [{ healthcheck: {} }, 90],
  [{ healthcheck: { interval: '1s', timeout: '500ms', retries: 60 } }, 90],
  [{ healthcheck: { interval: '10s', timeout: '5s', start_period: '15m0s', retries: 6 } }, 990],
  [{ healthcheck: { interval: '1.5s', timeout: '0s', start_period: '1h0m0s', retries: 2 } }, 3603],
])('how long a service may take by its own check: %j', (service, seconds) => {
  expect(healthySeconds({ services: { db: service, other: {} } })).toBe(seconds);
});
