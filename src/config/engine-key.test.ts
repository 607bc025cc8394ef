import { describe, expect, it } from 'vitest';
import { UserError } from '../errors.ts';
import {
  isEngineUrl,
  nameEngine,
  parseAddress,
  parseEngine,
  parseRegistry,
  readLoadFrom,
} from './engine-key.ts';

describe('parseEngine', () => {
  it.each([
    ['bench-box', 'bench-box'],
    ['ssh://bench@box.example:2222', 'ssh://bench@box.example:2222'],
    ['ssh://box', 'ssh://box'],
    ['ssh://[fe80::1]:22', 'ssh://[fe80::1]:22'],
    ['tcp://10.0.0.2:2376', 'tcp://10.0.0.2:2376'],
    ['/run/user/1000/docker.sock', 'unix:///run/user/1000/docker.sock'],
    ['unix:///var/run/docker.sock', 'unix:///var/run/docker.sock'],
  ])('takes %s', (text, engine) => {
    expect(parseEngine(text)).toBe(engine);
  });

  it.each([
    '',
    '-oProxyCommand=id',
    'ssh://-oProxyCommand=id',
    'ssh://bench@-oProxyCommand=id',
    'ssh://-oProxyCommand=id@box',
    'ssh://user:secret@box',
    'ssh://box/path',
    'ssh://box:0',
    'ssh://box:70000',
    'ssh://two words',
    'ssh://box\nHost *',
    'tcp://box',
    'tcp://me@box:2375',
    'http://box:2375',
    'unix://relative.sock',
    'a context',
    '$(id)',
  ])('refuses %j', (text) => {
    expect(() => parseEngine(text)).toThrow(UserError);
  });

  it('separates URLs from contexts', () => {
    expect(['box', 'ssh://box', 'unix:///x'].map(isEngineUrl)).toEqual([false, true, true]);
  });
});

describe('load-engines and load-address', () => {
  it('reports name no user', () => {
    const engines = ['ssh://me@box', 'ssh://me@10.0.0.6:22', 'ssh://box', 'box', 'unix:///run/a@b'];
    expect(engines.map(nameEngine)).toEqual([
      ...['ssh://box', 'ssh://10.0.0.6:22', 'ssh://box', 'box', 'unix:///run/a@b'],
    ]);
  });

  it('take an address of one machine', () => {
    expect(['10.0.0.5', '192.168.1.2'].map(parseAddress)).toEqual(['10.0.0.5', '192.168.1.2']);
    const foreign = ['127.0.0.1', '224.0.0.1', '255.255.255.255', '010.0.0.5', '192.168.001.2'];
    for (const text of [
      ...foreign,
      '0.0.0.0',
      '10.0.0.256',
      '10.0.0',
      '::1',
      'box',
      '10.0.0.5:80',
      '-1.0.0.1',
      '',
    ])
      expect(() => parseAddress(text), text).toThrow(UserError);
  });

  it('come together, each engine once, up to 32 of them', () => {
    expect(readLoadFrom(undefined, undefined)).toBeUndefined();
    expect(readLoadFrom(['a', 'b'], '10.0.0.5')).toEqual({ engines: ['a', 'b'], address: '10.0.0.5' });
    expect(() => readLoadFrom(['a'], undefined)).toThrow('`load-engines` needs `load-address`');
    expect(() => readLoadFrom(undefined, '10.0.0.5')).toThrow('`load-address` needs `load-engines`');
    expect(() => readLoadFrom(['a', 'b', 'a'], '10.0.0.5')).toThrow('engine given twice');
    const many = Array.from({ length: 33 }, (_, i) => `box-${i}`);
    for (const engines of [[], many])
      expect(() => readLoadFrom(engines, '10.0.0.5')).toThrow('wrong number of load engines');
  });
});

describe('parseRegistry', () => {
  it.each([
    'registry.example.com/bench',
    'docker.io/me/bench',
    'localhost/bench',
    'localhost:5000/bench',
    'box:5000/team/my-bench_1',
    '10.0.0.5:5000/bench',
  ])('takes %s', (text) => {
    expect(parseRegistry(text)).toBe(text);
  });

  it.each([
    '',
    'bench',
    'me/bench',
    'registry.example.com',
    'registry.example.com/bench:latest',
    'registry.example.com/Bench',
    'registry.example.com/bench@sha256:1',
    'https://registry.example.com/bench',
    '-x.example.com/bench',
    '--config=/tmp/x',
    'registry.example.com/$(bench)',
    'registry.example.com/bench,push=false',
    'registry.example.com/../bench',
    'registry.example.com/bench bench',
    `registry.example.com/${'a'.repeat(200)}`,
  ])('refuses %j', (text) => {
    expect(() => parseRegistry(text)).toThrow(UserError);
  });
});
