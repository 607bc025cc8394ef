import { describe, expect, test } from 'vitest';
import { parse } from '../../../test/fixtures/memory-files.ts';

describe('comparing', () => {
  test.each([
    ['slower > 3%', { metric: null, above: 0.03, scenario: null, variant: null }],
    ['slower>2.5%', { metric: null, above: 0.025 }],
    [
      'p99  slower >  10% in quick on apache',
      { metric: 'p99', above: 0.1, scenario: 'quick', variant: 'apache' },
    ],
    [
      'cpu slower > 7% on nginx-fpm@8.4[listen=unix,workers=4]',
      { variant: 'nginx-fpm@8.4[listen=unix,workers=4]' },
    ],
    ['memory slower > 1000% in quick', { metric: 'memory', above: 10, scenario: 'quick' }],
  ])('gate %s', (text, gate) => {
    const [read, ...more] = parse({}, ['--fail-on', text]).failOn;
    expect(read).toMatchObject({ ...gate, source: text.replaceAll(/ +/g, ' ') });
    expect(more).toEqual([]);
  });

  test('among the gates stands what becomes of a run that cannot judge them', () => {
    const both = parse({}, ['--fail-on', 'slower > 3%', '--fail-on', 'unjudged=pass']);
    expect(both).toMatchObject({ unjudged: 'pass', failOn: [{ source: 'slower > 3%' }] });
    expect(parse({ '.bench.yml': 'fail-on: [slower > 3%, unjudged = fail]\n' }).unjudged).toBe('fail');
    expect(parse({}, ['--fail-on', 'slower > 3%'])).not.toHaveProperty('unjudged');
    const refused =
      (...rules: string[]) =>
      () =>
        parse(
          {},
          rules.flatMap((rule) => ['--fail-on', rule]),
        );
    expect(refused('unjudged = maybe')).toThrow('not a valid value for unjudged');
    expect(refused('unjudged = pass', 'slower > 3%', 'unjudged = fail')).toThrow('limit given twice');
  });

  test('a gate or reference of the file is no mistake when a flag asks for something else', () => {
    const files = { '.bench.yml': 'scenarios: json\nreference: x\nfail-on: slower > 3% in json on x\n' };
    const where = { name: '.bench.yml' };
    const unchecked = expect.objectContaining(where);
    expect(parse(files)).toMatchObject({ reference: { unchecked }, failOn: [{ unchecked }] });
    expect(parse(files, ['--paths', '/']).failOn).toMatchObject([{ scenario: 'json', unchecked }]);
    for (const flags of [
      ['--runtimes', 'apache'],
      ['--php', '8.3'],
      ['--app', 'plain'],
    ]) {
      expect(parse(files, flags).reference).toEqual({ name: 'x' });
      expect(parse(files, flags).failOn[0]).not.toHaveProperty('unchecked');
    }
  });

  test('a gate of the file on a count is no mistake when a flag chooses other counts', () => {
    const services = { 'index.php': '', 'db.yml': 'services: { db: { image: "mariadb:11" } }\n' };
    const files = { ...services, '.bench.yml': 'services: db.yml\nfail-on: queries more\n' };
    const counted = { failOn: [{ source: 'queries more' }] };
    expect(parse(files, ['--count', 'instructions'])).toMatchObject({ ...counted, count: ['instructions'] });
    expect(parse(files, ['--count', 'none'])).not.toHaveProperty('count');
    const refused = 'a limit on what is not counted';
    const both = { ...files, '.bench.yml': `${files['.bench.yml']}count: php\n` };
    expect(() => parse(both)).toThrow(refused);
    const flags = ['--count', 'instructions', '--fail-on', 'queries more'];
    expect(() => parse(services, [...flags, '--services', 'db.yml'])).toThrow(refused);
    const file = { ...services, '.bench.yml': 'services: db.yml\ncount: php\n' };
    expect(() => parse(file, ['--fail-on', 'queries more'])).toThrow(refused);
  });

  test('several gates, in a list, on lines of an input and as flags', () => {
    const sources = (config: ReturnType<typeof parse>) => config.failOn.map(({ source }) => source);
    const both = ['slower > 3%', 'p99 slower > 9%'];
    expect(sources(parse({ '.bench.yml': `fail-on: [${both.join(', ')}]\n` }))).toEqual(both);
    expect(sources(parse({}, [], { inputs: { 'fail-on': both.join('\n') } }))).toEqual(both);
    expect(
      sources(
        parse(
          {},
          both.flatMap((gate) => ['--fail-on', gate]),
        ),
      ),
    ).toEqual(both);
  });
});
