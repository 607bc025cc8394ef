/** Reads what callgrind writes: https://valgrind.org/docs/manual/cl-format.html. Pure. */

/** Counts of one file. */
export interface CallgrindPart {
  instructions: number;
  /** By name. A name is untrusted: it comes from the binaries of the image. */
  functions: ReadonlyMap<string, FunctionCost>;
}

export interface FunctionCost {
  /** Without the functions that it calls. */
  self: number;
  /** How often it was called. */
  calls: number;
}

/** Null: it is no complete file of callgrind. */
export function readPart(text: string): CallgrindPart | null {
  const total = /^(?:totals|summary): (\d{1,15})$/m.exec(text)?.[1];
  if (total === undefined || !/^events: Ir$/m.test(text)) return null;
  const reader = makeReader();
  for (const line of text.split('\n')) reader.read(line);
  return { instructions: Number(total), functions: reader.functions };
}

function makeReader() {
  const functions = new Map<string, FunctionCost>();
  const names = { fn: new Map<string, string>(), ob: new Map<string, string>() };
  let object = '';
  let calledObject = '';
  let current: FunctionCost | null = null;
  let callee: FunctionCost | null = null;
  let skipsNext = false;
  const costOf = (name: string, of: string): FunctionCost => {
    const key = showName(name, of);
    const known = functions.get(key) ?? { self: 0, calls: 0 };
    functions.set(key, known);
    return known;
  };
  const read = (line: string) => {
    const set = /^(c?)(ob|fn)=(\(\d+\))(?: (.*))?$/.exec(line);
    if (set) {
      const [, ofCallee, kind, id = '', given] = set;
      const table = names[kind as 'ob' | 'fn'];
      if (given !== undefined) table.set(id, given);
      const name = table.get(id) ?? '';
      if (kind === 'ob' && ofCallee) calledObject = name;
      else if (kind === 'ob') object = name;
      else if (ofCallee) callee = costOf(name, calledObject || object);
      else current = costOf(name, object);
      return;
    }
    const calls = /^calls=(\d+)/.exec(line)?.[1];
    if (calls !== undefined) {
      if (callee) callee.calls += Number(calls);
      callee = null;
      calledObject = '';
      skipsNext = true;
      return;
    }
    const cost = /^(?:[+-]?\d+|\*) (\d+)$/.exec(line)?.[1];
    if (cost === undefined) return;
    // Behind a call stands what the call cost with all that it called.
    if (!skipsNext && current) current.self += Number(cost);
    skipsNext = false;
  };
  return { functions, read };
}

/** Binaries without symbols have addresses instead of names: those of one binary are one line. */
function showName(name: string, object: string): string {
  const isAddress = /^(?:0x[\da-f]+|\?\?\?)$/.test(name) || name === '';
  return isAddress ? `without a name in ${object.split('/').at(-1) || 'the program'}` : name;
}
