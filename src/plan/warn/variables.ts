import type { Warning } from '../../results/results.ts';
import type { PlannedVariant } from '../variants.ts';

/** Which variants give the app other variables than the request has, or than the others give. */
export function warnOfVariables(variants: readonly PlannedVariant[], host: string): Warning[] {
  const heads = variants.filter(({ ref }) => ref === null);
  return [...warnOfUnlike(heads, EXTRA), ...warnOfUnlike(heads, MISSING), ...warnOfPorts(heads, host)];
}

/** A way in which `$_SERVER` differs between runtimes. */
interface Difference {
  key: 'extraVariables' | 'missingVariables';
  describe(names: string): string;
  remedy: string;
}

/** They are set even if the request has none: `isset()` has another result there. */
const EXTRA: Difference = {
  key: 'extraVariables',
  describe: (names) =>
    `has ${names} even if the request has none, unlike the others; an app that checks isset() behaves differently there`,
  remedy: 'check empty() in the app',
};
const MISSING: Difference = {
  key: 'missingVariables',
  describe: (names) => `lacks ${names}, unlike the others; an app may behave differently there`,
  remedy: 'use a default in the app',
};

function warnOfUnlike(heads: readonly PlannedVariant[], { key, describe, remedy }: Difference): Warning[] {
  const names = (variant: PlannedVariant) => [...(variant.runtime[key] ?? [])].sort().join(', ');
  const kinds = [...new Set(heads.map(names))];
  // Alike on all, or on the only one.
  if (kinds.length < 2) return [];
  return kinds.filter(Boolean).map((kind) => {
    const labels = heads.filter((variant) => names(variant) === kind).map(({ label }) => label);
    return {
      code: 'variables',
      message: `${labels.join(', ')}: $_SERVER ${describe(kind)}`,
      remedy: `${remedy}; see docs/runtimes.md, Server variables`,
      variant: null,
    };
  });
}

/** A port that the server gives the app is right by default; it is another one as soon as `host` names one. */
function warnOfPorts(heads: readonly PlannedVariant[], host: string): Warning[] {
  const port = Number(/:(\d+)$/.exec(host)?.[1] ?? 80);
  const wrong = heads.filter(({ runtime: { serverPort = port } }) => serverPort !== port);
  const ports = [...new Set(wrong.map(({ runtime }) => runtime.serverPort))];
  return ports.map((fixed) => {
    const labels = wrong.filter(({ runtime }) => runtime.serverPort === fixed).map(({ label }) => label);
    return {
      code: 'variables',
      message: `${labels.join(', ')}: SERVER_PORT is always ${fixed}, but \`host\` names port ${port}; an app that makes links with it behaves differently there`,
      remedy: 'read the port from the Host header in the app; see docs/runtimes.md, Server variables',
      variant: null,
    };
  });
}
