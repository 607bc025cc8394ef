import { getOctokit } from '@actions/github';
import type { Comments } from './comment.ts';

/** Whom `GITHUB_TOKEN` writes as. */
const ACTIONS_BOT = 'github-actions[bot]';

export interface PullRequest {
  owner: string;
  repo: string;
  number: number;
}

/** A pull request's comments on GitHub, or on the server that `GITHUB_API_URL` names. */
export function commentsOf(pull: PullRequest, token: string): Comments {
  const octokit = getOctokit(token);
  const { owner, repo, number: issue_number } = pull;
  return {
    async whoAmI() {
      try {
        // REST's `GET /user` refuses the tokens of apps, and GITHUB_TOKEN is one.
        const { viewer } = await octokit.graphql<{ viewer: { login: string } }>('{ viewer { login } }');
        return viewer.login;
      } catch (error) {
        // No answer at all must not end in a second comment; a refusal is what GITHUB_TOKEN may get.
        const { status, errors } = error as { status?: number; errors?: unknown[] };
        if (errors || status === 403 || status === 404) return ACTIONS_BOT;
        throw error;
      }
    },
    async *list() {
      const pages = octokit.paginate.iterator(octokit.rest.issues.listComments, {
        owner,
        repo,
        issue_number,
        per_page: 100,
      });
      for await (const { data } of pages) {
        for (const { id, user, body } of data) yield { id, author: user?.login ?? '', body: body ?? '' };
      }
    },
    async create(body) {
      const { data } = await octokit.rest.issues.createComment({ owner, repo, issue_number, body });
      return data.html_url;
    },
    async update(comment_id, body) {
      const { data } = await octokit.rest.issues.updateComment({ owner, repo, comment_id, body });
      return data.html_url;
    },
  };
}
