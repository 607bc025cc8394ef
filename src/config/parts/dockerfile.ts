/** Which images a Dockerfile builds on. Pure. */

/** Contexts that our builds are given by name; they are folders. */
const CONTEXTS = ['app', 'shared'];

/**
 * The images of FROM, COPY --from and RUN --mount=…from=, each once; null where there is none, or one of them hangs on a
 * build argument that is not known. `known` are values of arguments, which win over the defaults in the Dockerfile.
 */
export function findBaseImages(
  text: string,
  known: Readonly<Record<string, string>>,
  unknown: readonly string[],
): string[] | null {
  const values = new Map(Object.entries(known));
  const stages: string[] = [];
  const images = new Set<string>();
  let isClear = true;
  const add = (reference: string) => {
    const image = expand(reference, values);
    if (image === null) isClear = false;
    else if (!isStage(image, stages)) images.add(image);
  };
  for (const line of readInstructions(text)) {
    const [instruction = '', ...words] = line.split(/\s+/);
    switch (instruction.toUpperCase()) {
      case 'ARG': {
        // Those behind the first FROM are for commands; a FROM sees the ones before.
        const [, name = '', value] = /^([A-Za-z_]\w*)=?(.*)$/.exec(words[0] ?? '') ?? [];
        if (stages.length > 0 || unknown.includes(name) || values.has(name)) break;
        const expanded = expand((value ?? '').replace(/^(["'])(.*)\1$/, '$2'), values);
        if (expanded) values.set(name, expanded);
        break;
      }
      case 'FROM': {
        const [image = '', as, name] = words.filter((word) => !word.startsWith('--'));
        if (image !== 'scratch') add(image);
        stages.push(as?.toUpperCase() === 'AS' && name ? name.toLowerCase() : '');
        break;
      }
      default:
        for (const word of words) {
          const from = /^--from=(.+)$|^--mount=(?:.*,)?from=([^,]+)/.exec(word);
          if (from) add(from[1] ?? from[2] ?? '');
        }
    }
  }
  return isClear && images.size > 0 ? [...images] : null;
}

/** Logical lines, without comments. */
function readInstructions(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/\\\s*\n/g, ' ')
    .split('\n')
    .map((line) => line.trim());
}

function isStage(reference: string, stages: readonly string[]): boolean {
  const name = reference.toLowerCase();
  return CONTEXTS.includes(name) || stages.includes(name) || /^\d+$/.test(name);
}

/** With its variables replaced; null where one has no value. */
function expand(text: string, values: ReadonlyMap<string, string>): string | null {
  let isKnown = true;
  const expanded = text.replace(/\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))/g, (_, braced, preset, bare) => {
    const value = values.get(braced ?? bare) ?? preset;
    if (value === undefined) isKnown = false;
    return value ?? '';
  });
  return isKnown ? expanded : null;
}
