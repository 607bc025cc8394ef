import { expect, test } from 'vitest';
import { parseLoad } from '../../config/parts/load.ts';
import type { Scenario } from '../../config/types.ts';
import type { PlannedVariant } from '../variants.ts';
import { warnOfKeptConnections } from './connections.ts';

const apache = (more: object = {}, options: object = {}) =>
  ({
    ...{ label: 'apache', ref: null, runtime: { workerPerConnection: true } },
    ...{ options: { workers: 16, 'keep-alive': '5s', ...options } },
    ...more,
  }) as unknown as PlannedVariant;

const scenario = (load: string, more: Partial<Scenario> = {}) =>
  ({
    name: 'ramp',
    load: parseLoad(load),
    timeoutMs: 2000,
    reuse: true,
    journey: { kind: 'paths' },
    ...more,
  }) as Scenario;

const clientsOf = (variants: readonly PlannedVariant[], of: Scenario) =>
  warnOfKeptConnections(variants, [of]).map(({ code, message }) => [
    code,
    /(?:up to|at least) \d+ clients/.exec(message)?.[0],
  ]);

test('warns of a rate with more clients than workers that kept connections hold', () => {
  // A tenth of a second of requests, and one.
  const found = (bound: string) => [['connections-exceed-workers', `${bound} 25 clients`]];
  expect(clientsOf([apache()], scenario('step(40, 240, 40, 1s)'))).toEqual(found('at least'));
  expect(clientsOf([apache()], scenario('const(20, 1s)', { maxVus: 25 }))).toEqual(found('up to'));
  expect(clientsOf([apache({}, { workers: 24 })], scenario('const(240, 1s)'))).toEqual(found('at least'));
});

test('two versions have as many clients each', () => {
  const base = apache({ ref: 'main' });
  expect(clientsOf([apache(), base], scenario('const(20, 1s)', { maxVus: 17 }))).toEqual([
    ['connections-exceed-workers', 'up to 18 clients'],
  ]);
  expect(clientsOf([apache(), base], scenario('const(20, 1s)', { maxVus: 16 }))).toEqual([]);
  // A ramp has no duets.
  const three = apache({}, { workers: 3 });
  expect(clientsOf([three, base], scenario('step(20, 40, 20, 1s)', { maxVus: 3 }))).toEqual([]);
});

test('where clients that ask again follow a rate, the next block has other connections', () => {
  expect(clientsOf([apache()], scenario('const(100, 1s) vus(4, 1s)'))).toEqual([
    ['connections-exceed-workers', 'up to 11 clients'],
  ]);
  const enough = apache({}, { workers: 22 });
  expect(clientsOf([enough], scenario('const(100, 1s) vus(4, 1s)'))).toEqual([]);
});

test.each<[string, PlannedVariant, Scenario]>([
  ['as many workers as clients', apache({}, { workers: 25 }), scenario('const(240, 1s)')],
  ['few clients', apache(), scenario('const(240, 1s)', { maxVus: 8 })],
  ['no connection is kept by the server', apache({}, { 'keep-alive': '0s' }), scenario('const(240, 1s)')],
  ['no connection is kept by the client', apache(), scenario('const(240, 1s)', { reuse: false })],
  ['an nginx before it', apache({ front: 'front' }), scenario('const(240, 1s)')],
  ['workers that serve any connection', apache({ runtime: {} }), scenario('const(240, 1s)')],
  ['the base, whose own name is shown', apache({ ref: 'main' }), scenario('const(240, 1s)')],
  ['clients that are a load by themselves', apache(), scenario('vus(100, 1s)')],
  ['a load that a script declares', apache(), scenario('vus(1, 1s)', { load: null })],
])('says nothing of %s', (_, variant, of) => {
  expect(warnOfKeptConnections([variant], [of])).toEqual([]);
});
