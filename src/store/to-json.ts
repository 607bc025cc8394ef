/** So many items of a list are one piece. */
const ITEMS = 1000;

/** A record as JSON, with a line break at its end, piece by piece: a large run's text is longer than a string can be. */
export function* toJson(record: object): Generator<string> {
  let before = '{';
  for (const [key, value] of Object.entries(record)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ',';
    if (Array.isArray(value)) yield* toList(value);
    else yield JSON.stringify(value);
  }
  yield before === '{' ? '{}\n' : '}\n';
}

function* toList(items: readonly unknown[]): Generator<string> {
  yield '[';
  for (let i = 0; i < items.length; i += ITEMS) {
    const text = JSON.stringify(items.slice(i, i + ITEMS));
    yield `${i === 0 ? '' : ','}${text.slice(1, -1)}`;
  }
  yield ']';
}
