// Simulates profiles whose truth is known and prints how often the right function is named. Needs no engine:
//   node bench/functions/run.ts [seeds]
import { explainCpu } from '../../src/analyse/why/why.ts';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { isOwn, makeSampled, nameOfPart, type Truth } from '../../test/fixtures/results/sampled.ts';

const SEEDS = Number(process.argv[2] ?? 100);
const REQUEST_US = 2000;
const IDS = { variant: 'apache@8.4', base: 'apache@8.4:base', scenario: 'quick' };

const unsteady = { common: 0.02, own: 0.04, wild: { share: 0.05, sd: 0.2 } };
const worlds: Record<string, Partial<Truth>> = {
  '4 starts of 10,000 samples': {},
  '4 starts of 2,500': { samples: 2500 },
  '3 starts of 2,500': { samples: 2500, starts: 3 },
  '4 starts of 2,500, unsteady': { samples: 2500, ...unsteady },
};

const results = makeResults({
  servers: [{ id: IDS.variant, rps: 1, base: {} }],
  instances: 1,
  compareTo: {},
});

function simulate(truth: Truth) {
  const { profiles, target } = makeSampled(IDS, truth);
  const [why] = explainCpu({ ...results, profiles }, []);
  const culprits = why?.culprits ?? [];
  const [first] = culprits;
  const right = isOwn(target)
    ? first?.function?.name === nameOfPart(target)
    : first?.within?.name === nameOfPart(target);
  const sum = culprits.reduce((all, { change }) => all + change.us, 0);
  const added = truth.added ?? 0;
  return { named: culprits.length > 0, right, near: Math.abs(sum - added) <= 0.2 * added };
}

console.log('| profiles | added | right one first | sum within 20 % | anything named |');
console.log('| -------- | ----: | --------------: | ----------------: | -------------: |');
for (const [name, world] of Object.entries(worlds)) {
  for (const share of [0, 0.03, 0.05, 0.1]) {
    const runs = Array.from({ length: SEEDS }, (_, i) =>
      simulate({ seed: 10_000 + i, added: share * REQUEST_US, perRequestUs: REQUEST_US, ...world }),
    );
    const of = (what: 'named' | 'right' | 'near') => `${runs.filter((run) => run[what]).length} of ${SEEDS}`;
    const cells = share === 0 ? ['nothing', '', ''] : [`${share * 100} %`, of('right'), of('near')];
    console.log(`| ${[name, ...cells, of('named')].join(' | ')} |`);
  }
}
