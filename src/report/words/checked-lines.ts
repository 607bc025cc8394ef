import type { CheckedPage, Variant } from '../../results/results.ts';
import { cleanLine, listNames } from '../../text/plain.ts';
import { bytes } from './numbers.ts';

/** More are in results.json. */
const MOST_LINES = 20;

/** `/ → 200 "Main Page – Wiki", text/html, 23.4 KiB`: what was checked before the load. Text of others, not escaped. */
export function checkedLines(
  pages: readonly CheckedPage[],
  variants: readonly Pick<Variant, 'id' | 'label'>[],
): string[] {
  const labelOf = (id: string) => variants.find((variant) => variant.id === id)?.label ?? id;
  const lines = pages.slice(0, MOST_LINES).map((page) => {
    const { endpoint, journey, status, title, text, type, location } = page;
    const shown = title === null ? text && ` '${text}'` : ` "${title}"`;
    const isSplit =
      pages.filter((other) => other.endpoint === endpoint && other.journey === journey).length > 1;
    const what = [`${status}${shown ?? ''}${location && ` to ${location}`}`, type, size(page)];
    const who = isSplit ? ` (${listNames(page.variants.map(labelOf))})` : '';
    const where = journey === null ? endpoint : `${endpoint} (${journey})`;
    return cleanLine(`${where} → ${what.filter(Boolean).join(', ')}${who}`);
  });
  const left = pages.length - lines.length;
  return left > 0 ? [...lines, `${left} more in results.json`] : lines;
}

function size({ bytes: [least, most] }: CheckedPage): string {
  return bytes(least) === bytes(most) ? bytes(most) : `${bytes(least)} to ${bytes(most)}`;
}
