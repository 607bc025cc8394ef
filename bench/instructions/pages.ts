/** An app of pages whose work is known: some do 0.2 % more on one side, the others do the same. Pure. */
import { makeRandom } from '../../src/stats/random.ts';

/** Pages with more work, and pages whose work is the same though their text is not. */
export const INJECTED = 20;
export const EQUAL = 50;
/** Equal units of work of a page; one with more does two more, which is 0.2 %. */
const UNITS = 1000;
const MORE = 2;

export interface Page {
  path: string;
  isInjected: boolean;
}

/** A unit each, as PHP of an app has it. `$i` chooses one. */
const KINDS: Record<string, string> = {
  text: `$out .= str_replace(['a', 'e'], ['x', 'y'], ucwords("name of row $i and more")) . md5("k$seed");`,
  arrays: `$rows = range(1, 24); shuffled($rows, $seed); sort($rows); $out .= array_sum(array_map(fn ($n) => $n * 2, $rows));`,
  objects: `$list = new Basket(); for ($j = 0; $j < 8; $j++) { $list->add("p$j", $j * 1.5); } $out .= $list->total();`,
  json: `$out .= strlen(json_encode(json_decode('{"id":' . $seed . ',"tags":["a","b"],"at":{"x":1.5,"y":[1,2,3]}}', true)));`,
  pattern: `$out .= preg_replace_callback('/[aeiou](\\\\w)/', fn ($m) => strtoupper($m[1]), 'a quick brown fox of this page');`,
  format: `$out .= sprintf('<li class="%s">%05d %s</li>', 'row', $seed, htmlspecialchars('<b>"bold" & more</b>'));`,
  cache: `$seen["k$seed"] = ($seen["k$seed"] ?? 0) + 1; ksort($seen); $out .= count($seen);`,
};

const NAMES = Object.keys(KINDS);

export const PAGES: readonly Page[] = Array.from({ length: INJECTED + EQUAL }, (_, i) => ({
  path: `/${NAMES[i % NAMES.length]}/${i}`,
  isInjected: i < INJECTED,
}));

/** Files of one side by their path. `side` 1: the text of all is another, and some do more. */
export function writeApp(side: 0 | 1): Map<string, string> {
  const files = new Map([['public/index.php', FRONT]]);
  for (const [i, { path, isInjected }] of PAGES.entries()) {
    const random = makeRandom(1000 * i + side);
    const kind = NAMES[i % NAMES.length] as string;
    const units = UNITS + (side === 1 && isInjected ? MORE : 0);
    files.set(`pages${path}.php`, writePage(KINDS[kind] as string, units, random));
  }
  return files;
}

const FRONT = `<?php
require __DIR__ . '/../pages' . strtok($_SERVER['REQUEST_URI'], '?') . '.php';
header('Content-Type: text/plain');
echo strlen(page());
`;

/** Comments, functions that nobody calls and their order are another at random: they are no work. */
function writePage(unit: string, units: number, random: () => number): string {
  const pick = (most: number) => Math.floor(random() * most);
  const comment = `// ${'lorem ipsum '.repeat(1 + pick(60))}`;
  const unused = Array.from({ length: pick(4) }, (_, n) => {
    const lines = Array.from({ length: 1 + pick(30) }, (_, k) => `    $v${k} = "${'z'.repeat(pick(50))}";`);
    return `function unused${n}(): void\n{\n${lines.join('\n')}\n}`;
  });
  const own = `function page(): string
{
    ${comment}
    $out = '';
    $seen = [];
    for ($i = 0; $i < ${units}; $i++) {
        $seed = 10 + $i % 50;
        ${unit}
        if (strlen($out) > 2000) { $out = ''; }
    }
    return $out;
}`;
  const helpers = `function shuffled(array &$rows, int $seed): void
{
    foreach ($rows as $k => $row) { $to = ($k * 7 + $seed) % count($rows); [$rows[$k], $rows[$to]] = [$rows[$to], $row]; }
}

final class Basket
{
    private array $items = [];

    public function add(string $name, float $price): void
    {
        $this->items[$name] = $price;
    }

    public function total(): float
    {
        return array_sum($this->items);
    }
}`;
  const parts = [comment, ...unused, own, helpers];
  const turned = pick(2) === 0 ? parts : [...parts].reverse();
  return `<?php\n\n${turned.join('\n\n')}\n`;
}
