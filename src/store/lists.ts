/** JSON whose long lists are read item by item: as one text and one value they would need many times their size. */

/** Takes one item of a list; what it throws ends the reading. */
type TakeItem = (item: unknown, index: number) => void;

/** The JSON of an item, or of what stands around the lists, is wrong. */
export class JsonError extends Error {
  override name = 'JsonError';
}

/**
 * Parses an object. Each object in one of the named lists is handed over by itself; in what is returned a 0 is in its place.
 *
 * @param lists by the key that they have in the outermost object
 */
export async function readLists(
  chunks: AsyncIterable<Buffer>,
  lists: Readonly<Record<string, TakeItem>>,
): Promise<unknown> {
  const around = new Pieces();
  const item = new Pieces();
  let list: { name: string; take: TakeItem; index: number } | null = null;
  const scanner = new Scanner();
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = scanner.next(chunk, 0); at >= 0; at = scanner.next(chunk, at + 1)) {
      const { depth } = scanner;
      const byte = chunk[at];
      if (list === null && depth === 2 && byte === OPEN_LIST) {
        around.add(Buffer.from(chunk.subarray(from, at)));
        from = at;
        const name = /"(\w+)"\s*:\s*$/.exec(around.tail(80))?.[1] ?? '';
        if (Object.hasOwn(lists, name)) list = { name, take: lists[name] as TakeItem, index: 0 };
      } else if (list !== null && depth === 3 && byte === OPEN_OBJECT) {
        around.add(Buffer.from(chunk.subarray(from, at)));
        from = at;
      } else if (list !== null && depth === 2 && byte === CLOSE_OBJECT) {
        item.add(chunk.subarray(from, at + 1));
        from = at + 1;
        list.take(parse(item.end(), `${list.name}.${list.index}`), list.index);
        list.index++;
        around.add(ZERO);
      } else if (depth < 2) list = null;
    }
    const rest = chunk.subarray(from);
    // Copied, or the little that stands between items would keep all of the file in memory.
    if (list !== null && scanner.depth > 2) item.add(rest);
    else around.add(Buffer.from(rest));
  }
  // A text that was cut off within an item is incomplete: the parser must refuse it.
  return parse(around.end() + item.end(), null);
}

const [QUOTE, ESCAPE] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const ZERO = Buffer.from('0');

/** Finds brackets outside of strings. Only ASCII matters here, whatever the strings hold. */
class Scanner {
  /** Brackets that are open, after the one that was found. */
  depth = 0;
  #inString = false;
  #escaped = false;

  /** The offset of the next bracket, from an offset on; −1: there is none in this chunk. */
  next(chunk: Buffer, offset: number): number {
    // Every byte of a large file comes by: fields would be slower than variables.
    let { depth } = this;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let at = offset;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === ESCAPE) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++depth < 4) break;
      } else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && --depth < 3) break;
    }
    this.depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    return at < chunk.length ? at : -1;
  }
}

/** A text that comes in pieces. */
class Pieces {
  #pieces: Buffer[] = [];

  add(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  /** The last bytes of it. */
  tail(length: number): string {
    let found = 0;
    let first = this.#pieces.length;
    while (first > 0 && found < length) found += (this.#pieces[--first] as Buffer).length;
    return Buffer.concat(this.#pieces.slice(first)).subarray(-length).toString('latin1');
  }

  /** All of it; it is empty then. */
  end(): string {
    const [only, ...others] = this.#pieces;
    this.#pieces = [];
    if (only === undefined) return '';
    return (others.length > 0 ? Buffer.concat([only, ...others]) : only).toString('utf8');
  }
}

function parse(text: string, where: string | null): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A position is of no use: it counts from where the cut was made.
    const why = (error as Error).message.replace(/ (in JSON )?at position .*$/s, '');
    throw new JsonError(`${where === null ? '' : `${where}: `}not JSON: ${why}`);
  }
}
