/** The five articles: the commands that repeat their experiments, as docs/articles.md shows and `run` runs them. */
import { shellCommand } from '../../src/report/words/run-facts.ts';

export const NAMES = ['octane', 'symfony', 'apache', 'shop', 'auth', 'unit'] as const;
export type Name = (typeof NAMES)[number];

export interface Article {
  /** Flags of `php-runtime-bench run`, in the lines of the page. */
  flags: readonly (readonly string[])[];
  /** Whether its apps need Octane beside what the bundled ones require. */
  octane?: true;
  /** Data that is kept of a run beside a row for each variant, as the article's table has it. */
  keeps?: 'slices' | 'endpoints';
}

/** Variants go by the names that the articles give them. */
export const ARTICLES: Readonly<Record<Name, Article>> = {
  octane: {
    octane: true,
    flags: [
      ['--app', 'laravel,lumen'],
      ['--runtimes', 'fpm=php-fpm-100,Unit=unit[max-requests=1000],Octane=octane-swoole[max-requests=1000]'],
      ['--scenarios', 'stress', '--duration-scale', '0.015', '--max-vus', '300', '--instances', '3'],
    ],
  },
  symfony: {
    flags: [
      ['--app', 'symfony'],
      ['--runtimes', 'php-fpm=nginx-fpm,Unit=unit[front=nginx],RoadRunner=roadrunner[front=nginx]'],
      ['--runtimes', 'RoadRunner-reboot=roadrunner[front=nginx,reboot=true],ReactPHP=reactphp[front=nginx]'],
      ['--runtimes', 'ReactPHP-reboot=reactphp[front=nginx,reboot=true]'],
      ['--scenarios', 'rps-1000', '--duration-scale', '0.05', '--timeout', '3s', '--max-vus', '300'],
      ['--instances', '5'],
    ],
  },
  apache: {
    flags: [
      ['--app', 'plain'],
      ['--runtimes', 'Apache=apache,nginx-Apache=nginx-apache[upstream-keep-alive=false]'],
      ['--runtimes', 'fpm-unix=nginx-fpm[listen=unix],fpm-TCP=nginx-fpm[listen=tcp]'],
      ['--reference', 'fpm-unix', '--scenarios', 'ab-10,ab-50,ab-100,ab-200'],
      [
        '--duration-scale',
        '0.3',
        '--warmup',
        '0s',
        '--timeout',
        '500ms',
        '--instances',
        '5',
        '--blocks',
        '1',
      ],
    ],
    keeps: 'slices',
  },
  shop: {
    octane: true,
    flags: [
      ['--app', 'shop'],
      ['--runtimes', 'Swoole=octane-swoole,FrankenPHP=octane-frankenphp,RoadRunner=octane-roadrunner'],
      ['--runtimes', 'Unit=unit,Apache=apache,php-fpm=nginx-fpm'],
      [
        '--scenarios',
        'shop',
        '--duration-scale',
        '0.05',
        '--warmup',
        '0s',
        '--timeout',
        '3s',
        '--instances',
        '2',
      ],
    ],
  },
  auth: {
    octane: true,
    flags: [
      ['--app', 'laravel'],
      ['--runtimes', 'Apache=apache,fpm=nginx-fpm,Unit=unit,Unit-1=unit[workers=1]'],
      ['--runtimes', 'RoadRunner=octane-roadrunner'],
      ['--scenarios', 'auth', '--duration-scale', '0.2', '--warmup', '1s', '--timeout', '3s'],
      ['--instances', '3', '--server-cpus', '0,1', '--load-cpus', '1'],
    ],
    keeps: 'endpoints',
  },
  unit: {
    flags: [
      ['--app', 'laravel', '--runtimes', 'Apache=apache,Unit=unit,Unit-1=unit[workers=1]'],
      ['--scenarios', 'auth', '--duration-scale', '0.2', '--warmup', '1s', '--timeout', '3s'],
      ['--instances', '3', '--server-cpus', '0,1', '--load-cpus', '1'],
    ],
    keeps: 'endpoints',
  },
};

/** The command as somebody types it. */
export function commandOf(name: Name): string {
  const lines = ARTICLES[name].flags.map((words) => shellCommand(words));
  return [`php-runtime-bench run`, ...lines].join(' \\\n  ');
}
