import { describe, expect, test } from 'vitest';
import { DockerError } from '../engine/docker.ts';
import { MachineError, UserError } from '../errors.ts';
import { namingEngine, takeArenas } from './take-arenas.ts';

describe('takeArenas', () => {
  /** Engines that one run at a time may have. */
  function openEngines() {
    const holder = new Map<string, string>();
    const freed: (() => void)[] = [];
    const take = async (run: string, engine: string) => {
      while (holder.has(engine)) await new Promise<void>((resolve) => freed.push(resolve));
      holder.set(engine, run);
      await new Promise((resolve) => setImmediate(resolve));
      return engine;
    };
    const give = (run: string) => {
      for (const [engine, by] of holder) if (by === run) holder.delete(engine);
      for (const wake of freed.splice(0)) wake();
    };
    return { take, give };
  }

  test('two runs that name the same engines in another order both get them', async () => {
    const { take, give } = openEngines();
    const work = async (run: string, engines: string[]) => {
      const placeOf = (engine: string) => ({ engine, open: () => take(run, engine) });
      const [servers = '', ...loads] = engines;
      const taken = await takeArenas(placeOf(servers), loads.map(placeOf));
      give(run);
      return taken;
    };
    const both = await Promise.all([work('one', ['a', 'b', 'c']), work('two', ['c', 'b', 'a'])]);
    expect(both).toEqual([
      ['a', ['b', 'c']],
      ['c', ['b', 'a']],
    ]);
  });

  test('of engines with one id the first is taken first', async () => {
    const order: number[] = [];
    const place = (n: number) => ({ engine: 'x', open: async () => void order.push(n) });
    await takeArenas(place(1), [place(2), place(3)]);
    expect(order).toEqual([1, 2, 3]);
  });
});

describe('namingEngine', () => {
  const thrownBy = (error: unknown) =>
    namingEngine('box', () => Promise.reject(error)).catch((thrown) => thrown);

  test('says which engine it was, and by which key', async () => {
    const busy = await thrownBy(
      new UserError('another benchmark is running', { found: 'run 1', hint: 'wait' }),
    );
    expect(busy).toBeInstanceOf(UserError);
    expect(busy.format()).toBe(
      'load-engines: another benchmark is running\n  found:   box: run 1\n  hint:    wait',
    );
    const unknown = new UserError('no such context', { where: { name: 'engine' }, found: "'box'" });
    expect((await thrownBy(unknown)).format()).toBe("load-engines: no such context\n  found:   'box'");
    const away = await thrownBy(new MachineError('no Docker engine answers'));
    expect([away.exitCode, away.format()]).toEqual([
      ...[4, 'load-engines: no Docker engine answers\n  found:   box'],
    ]);
  });

  test('says it of a command that failed there, too', async () => {
    const failed = await thrownBy(
      new DockerError(['exec', 'x'], { code: 1, stdout: '', stderr: 'no space' }),
    );
    expect([failed.exitCode, failed.format()]).toEqual([
      4,
      'load-engines: the Docker engine failed\n  found:   box: docker exec x failed (1): no space',
    ]);
  });

  test('leaves other errors alone', async () => {
    const bug = new TypeError('x');
    expect(await thrownBy(bug)).toBe(bug);
  });
});
