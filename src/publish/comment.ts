import { COMMENT_CHARACTERS, firstThatFits } from './fit.ts';

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
  /** Returns the comment's URL. */
  create(body: string): Promise<string>;
  /** Returns the comment's URL. */
  update(id: number, body: string): Promise<string>;
}

export type Posted =
  | { posted: true; url: string; how: 'created' | 'updated' }
  /** `refused`: the token may not, which is normal on a pull request from a fork. */
  | { posted: false; why: string; refused: boolean };

/**
 * Writes our comment: the one that `key` names is updated in place, else a new one is created. Ours is
 * known by a hidden marker and by its author, since anybody can write a marker.
 */
export async function postComment(
  comments: Comments,
  key: string,
  stages: readonly string[],
): Promise<Posted> {
  const marker = markerOf(key);
  const room = COMMENT_CHARACTERS - marker.length - 1;
  const body = `${marker}\n${firstThatFits(stages, (text) => text.length <= room)}`;
  try {
    const mine = await findMine(comments, marker);
    if (mine) return { posted: true, how: 'updated', url: await comments.update(mine.id, body) };
    return { posted: true, how: 'created', url: await comments.create(body) };
  } catch (error) {
    const { status, message } = error as { status?: number; message: string };
    const refused = status === 401 || status === 403 || status === 404;
    return { posted: false, why: status === undefined ? message : `HTTP ${status}: ${message}`, refused };
  }
}

/** A key in any spelling gives a marker of its own that cannot end the HTML comment early. */
export function markerOf(key: string): string {
  return `<!-- php-runtime-bench:${encodeURIComponent(key)} -->`;
}

async function findMine(comments: Comments, marker: string): Promise<Comment | undefined> {
  const me = await comments.whoAmI();
  for await (const comment of comments.list()) {
    if (comment.author === me && comment.body.startsWith(marker)) return comment;
  }
  return undefined;
}
