import { getOctokit } from '@actions/github';
import { type Comments, refusalOf } from './comment.ts';
import type { PullRequest, Pulls } from './pulls.ts';
import { type Failed, type Patience, patience, retry } from './retry.ts';

/** Whom `GITHUB_TOKEN` writes as. */
const ACTIONS_BOT = 'github-actions[bot]';

/** An answer that takes longer is none. */
const TIMEOUT_MS = 20_000;

interface Manner extends Patience {
  timeoutMs: number;
}

const MANNER: Manner = { ...patience, timeoutMs: TIMEOUT_MS };

/** GitHub, or the server that `GITHUB_API_URL` names. Asks again where that may help and can do no harm. */
function connect(token: string, { timeoutMs, wait }: Manner) {
  const octokit = getOctokit(token);
  octokit.hook.wrap('request', (request, options) => {
    const repeatable = options.method !== 'POST' || options.url === '/graphql';
    const ask = async () => {
      // Hooks share the options; new ones would be dropped on the way.
      options.request = { ...options.request, signal: AbortSignal.timeout(timeoutMs) };
      return request(options);
    };
    return retry(ask, repeatable, { wait });
  });
  return octokit;
}

/** The open pull requests of a repository, `octo/shop`. */
export function pullsOf(repository: string, token: string, manner: Manner = MANNER): Pulls {
  const [owner = '', repo = ''] = repository.split('/');
  return {
    async openFrom(head) {
      const octokit = connect(token, manner);
      const { data } = await octokit.rest.pulls.list({ owner, repo, head, state: 'open', per_page: 100 });
      return data.map(({ number, head: { sha } }) => ({ number, head: sha }));
    },
    async open(pull_number) {
      const octokit = connect(token, manner);
      try {
        const { data } = await octokit.rest.pulls.get({ owner, repo, pull_number });
        return data.state === 'open' ? { number: data.number, head: data.head.sha } : null;
      } catch (error) {
        if ((error as Failed).status === 404) return null;
        throw error;
      }
    },
  };
}

/** A pull request's comments. */
export function commentsOf(pull: PullRequest, token: string, manner: Manner = MANNER): Comments {
  const octokit = connect(token, manner);
  const { owner, repo, number: issue_number } = pull;
  return {
    async whoAmI() {
      try {
        // REST's `GET /user` refuses the tokens of apps, and GITHUB_TOKEN is one.
        const answer = await octokit.graphql<{ viewer: { login: string } } | undefined>(
          '{ viewer { login } }',
        );
        if (!answer?.viewer) throw new Error('the answer is not from the GitHub API');
        return answer.viewer.login;
      } catch (error) {
        // No answer, a limit, or a server in trouble must not end in a second comment; a refusal is what GITHUB_TOKEN may get.
        const failed = error as Failed & { errors?: { type?: string }[] };
        const isRefused = failed.errors?.some(({ type }) => type === 'FORBIDDEN');
        if (isRefused || refusalOf(failed) === 'permission') return ACTIONS_BOT;
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
      return { id: data.id, url: data.html_url };
    },
    async update(comment_id, body) {
      const { data } = await octokit.rest.issues.updateComment({ owner, repo, comment_id, body });
      return data.html_url;
    },
    async remove(comment_id) {
      await octokit.rest.issues.deleteComment({ owner, repo, comment_id });
    },
  };
}
