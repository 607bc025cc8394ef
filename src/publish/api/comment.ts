import { COMMENT_CHARACTERS, firstThatFits } from './fit-size.ts';
import { describeApiError, type Failed, isLimited, isTransient, type Patience, patience } from './retry.ts';

export interface Comment {
  id: number;
  author: string;
  body: string;
}

/** The comments of one pull request. Errors of GitHub's carry its HTTP `status`. */
export interface Comments {
  /** Login that this token writes as. */
  whoAmI(): Promise<string>;
  /** All of them, oldest first, fetched page by page as they are asked for. */
  list(): AsyncIterable<Comment>;
  create(body: string): Promise<{ id: number; url: string }>;
  /** Returns the comment's URL. */
  update(id: number, body: string): Promise<string>;
  remove(id: number): Promise<void>;
}

type Posted =
  | { posted: true; url: string; how: 'created' | 'updated' }
  /**
   * `refused`: GitHub does not accept the token, or the token may not write here, which is normal on a pull request from a
   * fork. Null: anything else.
   */
  | { posted: false; why: string; refused: 'token' | 'permission' | null };

/** A comment that could not be created may be there all the same: so often we look and try again. */
const CREATIONS = 3;

/**
 * Writes our comment: the one that `key` names is updated in place, else a new one is created. Ours is known by a hidden
 * marker and by its author, since anybody can write a marker. If two jobs create one at the same time, the later one
 * updates that of the other and removes its own.
 */
export async function postComment(
  comments: Comments,
  key: string,
  stages: readonly string[],
  { wait }: Patience = patience,
): Promise<Posted> {
  const marker = markerOf(key);
  const room = COMMENT_CHARACTERS - marker.length - 1;
  const body = `${marker}\n${firstThatFits(stages, (text) => text.length <= room)}`;
  try {
    const me = await comments.whoAmI();
    const findMine = () => findOldest(comments, me, marker);
    for (let tried = 1; ; tried++) {
      const mine = await findMine();
      if (mine) return { posted: true, how: 'updated', url: await comments.update(mine.id, body) };
      try {
        return await keepOne(comments, await comments.create(body), body, findMine);
      } catch (error) {
        if (!isTransient(error as Failed) || tried === CREATIONS) throw error;
        await wait(1000 * 2 ** tried);
      }
    }
  } catch (error) {
    const failed = error as Failed;
    return { posted: false, why: describeApiError(failed), refused: refusalOf(failed) };
  }
}

/** The token or its permission, if an answer refused them; null: it has another reason, such as a limit of requests or a lock. */
export function refusalOf(error: Failed): 'token' | 'permission' | null {
  if (isLimited(error) || /\b(locked|disabled)\b/i.test(error.message)) return null;
  const { status } = error;
  return status === 401 ? 'token' : status === 403 || status === 404 ? 'permission' : null;
}

/** A key in any spelling gives a marker of its own that cannot end the HTML comment early. */
export function markerOf(key: string): string {
  return `<!-- php-runtime-bench:${encodeURIComponent(key)} -->`;
}

async function keepOne(
  comments: Comments,
  created: { id: number; url: string },
  body: string,
  findMine: () => Promise<Comment | undefined>,
): Promise<Posted> {
  const oldest = await findMine();
  if (!oldest || oldest.id >= created.id) return { posted: true, how: 'created', url: created.url };
  const url = await comments.update(oldest.id, body);
  await comments.remove(created.id);
  return { posted: true, how: 'updated', url };
}

async function findOldest(comments: Comments, me: string, marker: string): Promise<Comment | undefined> {
  for await (const comment of comments.list()) {
    if (comment.author === me && comment.body.startsWith(marker)) return comment;
  }
  return undefined;
}
