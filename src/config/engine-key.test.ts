import { describe, expect, it } from 'vitest';
import { UserError } from '../errors.ts';
import { isEngineUrl, parseEngine } from './engine-key.ts';

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

  it('tells URLs from contexts', () => {
    expect(['box', 'ssh://box', 'unix:///x'].map(isEngineUrl)).toEqual([false, true, true]);
  });
});
