/** Ways to set k6: what goes to its environment instead of a run's own. */
export function environmentOf(setting: string): Record<string, string> | null {
  if (setting === 'ours') return null;
  if (setting === 'default') return { GOMAXPROCS: '', GOGC: '', GOMEMLIMIT: '' };
  // `gogc=1600,gomaxprocs=1,gomemlimit=2048MiB`: the rest as in a run.
  return Object.fromEntries(
    setting.split(',').map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return [name.toUpperCase(), value];
    }),
  );
}

/** An image in which k6 starts with that environment, whatever it is given: the pipeline stays as it is. */
export function wrapK6(base: string, environment: Record<string, string>): string {
  const lines = Object.entries(environment).map(([name, value]) =>
    value === '' ? `unset ${name}` : `export ${name}=${value}`,
  );
  const script = ['#!/bin/sh', ...lines, 'exec k6-itself "$@"'].join('\\n');
  return [
    `FROM ${base}`,
    'USER 0',
    `RUN mv /usr/bin/k6 /usr/bin/k6-itself && printf '${script}\\n' >/usr/bin/k6 && chmod 0755 /usr/bin/k6`,
    'USER 12345',
    '',
  ].join('\n');
}
