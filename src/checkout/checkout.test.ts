import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  commit,
  find,
  folder,
  git,
  INDEX,
  refusal,
  repository,
  snapshot,
  useRepository,
  write,
} from '../../test/fixtures/repository.ts';
import { realHost } from '../host.ts';
import { removeTemporary, sweepTemporary } from '../temporary.ts';
import { checkOut } from './checkout.ts';

useRepository();

const RUN = '20260131-090000-0abc';
const checkoutFolder = () => join(folder, 'tmp', `php-runtime-bench-${RUN}-base`);

describe('the files of the other commit', () => {
  const source = (of: string) => ({ top: repository, commit: of, bring: [] });

  it('are as they were, and the repository is as it is', async () => {
    write({ 'bin/x': '#!/bin/sh\n', [INDEX]: 'one', 'app/deep/y': 'y' });
    chmodSync(join(repository, 'bin/x'), 0o755);
    symlinkSync('../bin/x', join(repository, 'app/link'));
    const first = commit({});
    commit({ [INDEX]: 'two', 'new.php': '' });
    write({ [INDEX]: 'dirty', 'staged.php': '', 'untracked.php': '' });
    git(repository, 'add', 'staged.php');
    git(repository, 'config', 'core.splitIndex', 'true');
    const before = {
      files: snapshot(repository),
      status: git(repository, '--no-optional-locks', 'status', '--porcelain'),
    };
    const inGit = readdirSync(join(repository, '.git'));
    const checkout = await checkOut(realHost, source(first), RUN, {});
    expect(readdirSync(join(repository, '.git'))).toEqual(inGit);
    expect(snapshot(checkout.folder).map(({ name }) => name)).toEqual([
      ...['app', 'app/deep', 'app/deep/y', 'app/link', 'bin', 'bin/x', 'public', INDEX],
    ]);
    expect(readFileSync(join(checkout.folder, INDEX), 'utf8')).toBe('one');
    expect(lstatSync(join(checkout.folder, 'app/link')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(checkout.folder, 'bin/x')).mode & 0o111).not.toBe(0);
    expect(lstatSync(checkoutFolder()).mode & 0o777).toBe(0o700);
    await checkout.remove();
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
    expect({
      files: snapshot(repository),
      status: git(repository, '--no-optional-locks', 'status', '--porcelain'),
    }).toEqual(before);
  });

  it('have links that lead nowhere, in git and in the packages brought along', async () => {
    write({ [INDEX]: 'one', '.gitignore': 'vendor', 'vendor/autoload.php': '' });
    for (const link of ['app', 'vendor/app']) symlinkSync('/nowhere/at/all', join(repository, link));
    const first = commit({});
    const bring = [{ from: join(repository, 'vendor'), to: 'vendor' }];
    const checkout = await checkOut(realHost, { ...source(first), bring }, RUN, {});
    for (const link of ['app', 'vendor/app'])
      expect(readlinkSync(join(checkout.folder, link))).toBe('/nowhere/at/all');
    await checkout.remove();
  });

  it('get no packages through a link, which may lead out of the folder', async () => {
    write({ '.gitignore': 'deps', 'lib/deps/autoload.php': 'new' });
    const first = commit({});
    const outside = join(folder, 'outside');
    write({ 'deps/autoload.php': 'old' }, outside);
    git(repository, 'rm', '-r', '--quiet', '--cached', '.');
    rmSync(join(repository, 'lib'), { recursive: true });
    symlinkSync(outside, join(repository, 'lib'));
    const linked = commit({});
    const bring = [{ from: join(folder, 'packages'), to: 'lib/deps' }];
    write({ 'packages/autoload.php': 'new' }, folder);
    for (const [of, isRefused] of [
      [linked, true],
      [first, false],
    ] as const) {
      const checkout = checkOut(realHost, { ...source(of), bring }, RUN, {});
      if (isRefused) await expect(checkout).rejects.toThrow('lib is a link');
      else await (await checkout).remove();
    }
    expect(readFileSync(join(outside, 'deps/autoload.php'), 'utf8')).toBe('old');
  });

  it('are all there where the work tree is sparse', async () => {
    const first = commit({ [INDEX]: 'one', 'docs/x': 'x' });
    git(repository, 'sparse-checkout', 'set', '--no-cone', '/public/');
    expect(readdirSync(repository)).not.toContain('docs');
    const checkout = await checkOut(realHost, source(first), RUN, {});
    expect(readdirSync(checkout.folder).sort()).toEqual(['docs', 'public']);
    await checkout.remove();
  });

  it('come without running anything: no hook, no filter, no monitor', async () => {
    const first = commit({ [INDEX]: 'one', '.gitattributes': '*.php filter=big filter=odd=name\n' });
    commit({ [INDEX]: 'two' });
    const trap = join(folder, 'trap');
    const script = join(folder, 'script');
    writeFileSync(script, `#!/bin/sh\necho "$0 $*" >>'${trap}'\ncat\n`, { mode: 0o755 });
    for (const name of ['post-checkout', 'post-index-change', 'reference-transaction']) {
      writeFileSync(join(repository, '.git/hooks', name), `#!/bin/sh\necho ${name} >>'${trap}'\n`, {
        mode: 0o755,
      });
    }
    const config = join(repository, '.git/config');
    appendFileSync(config, `[core]\n fsmonitor = ${script}\n`);
    expect((await find('HEAD~1'))?.other).toMatchObject({ commit: first });
    appendFileSync(
      config,
      `[filter "big"]\n smudge = ${script}\n required = true\n[filter "odd=name"]\n process = ${script}\n required = true\n`,
    );
    const checkout = await checkOut(realHost, source(first), RUN, {});
    expect(readFileSync(join(checkout.folder, INDEX), 'utf8')).toBe('one');
    await checkout.remove();
    expect(existsSync(trap) ? readFileSync(trap, 'utf8') : '').toBe('');
  });

  it('are those of our repository, whatever a hook has set around us', async () => {
    const first = commit({ [INDEX]: 'one' });
    const decoy = join(folder, 'decoy');
    git(folder, 'init', '--quiet', decoy);
    const wrong = commit({ [INDEX]: 'decoy' }, decoy);
    vi.stubEnv('GIT_DIR', join(decoy, '.git'));
    vi.stubEnv('GIT_WORK_TREE', decoy);
    vi.stubEnv('GIT_INDEX_FILE', join(decoy, '.git/index'));
    vi.stubEnv('GIT_OBJECT_DIRECTORY', join(decoy, '.git/objects'));
    expect((await find('HEAD'))?.other).toMatchObject({ commit: first });
    expect(await refusal(find(wrong))).toContain('no such commit');
    const checkout = await checkOut(realHost, source(first), RUN, {});
    expect(readFileSync(join(checkout.folder, INDEX), 'utf8')).toBe('one');
    await checkout.remove();
  });

  it('are gone when they could not be written, or the run is stopped', async () => {
    const first = commit({ [INDEX]: 'one' });
    await expect(checkOut(realHost, source('f'.repeat(40)), RUN, {})).rejects.toThrow(/tree|object/);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(checkOut(realHost, source(first), RUN, { signal })).rejects.toThrow('stopped');
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it('of a run that is dead are swept, of one that lives are not', async () => {
    const said: string[] = [];
    const leave = (owner: object | null) => {
      mkdirSync(checkoutFolder());
      if (owner) writeFileSync(join(checkoutFolder(), 'owner'), JSON.stringify(owner));
    };
    const sweep = async () => {
      await sweepTemporary(realHost, (line) => said.push(line));
      return existsSync(checkoutFolder());
    };
    // Nobody has that number: it is more than Linux gives.
    const dead = 2 ** 22 + 1;
    leave({ pid: process.pid, host: hostname() });
    expect(await sweep()).toBe(true);
    await removeTemporary(RUN);
    leave({ pid: dead, host: `not ${hostname()}` });
    expect(await sweep()).toBe(true);
    await removeTemporary(RUN);
    leave(null);
    expect(await sweep()).toBe(true);
    await removeTemporary(RUN);
    leave({ pid: dead, host: hostname() });
    expect(await sweep()).toBe(false);
    expect(said).toEqual([`removed what run ${RUN} left behind: php-runtime-bench-${RUN}-base`]);
    expect(await removeTemporary(RUN)).toBe(false);
  });
});
