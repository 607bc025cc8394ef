import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import addFormats from 'ajv-formats';
import { type Context, type Document, OpenAPIBackend, type Operation } from 'openapi-backend';
import { type Answer, type Asked, type Server, serve } from './http.ts';

export interface Comment {
  id: number;
  issue: number;
  author: string;
  body: string;
  updates: number;
}

/** A pull request's branch: what is on top of it, whose it is, and what GitHub knows of its repository. */
export interface Head {
  label: string;
  sha: string;
  /** When its repository was last pushed to; null: it is gone. */
  pushed?: string | null;
  closed?: boolean;
}

export interface Call {
  operation: string;
  token: string;
  status: number;
  query: string;
}

/** The owner and the rights of a token. */
export interface Token {
  login: string;
  write: boolean;
}

/** Paths that our code may request from GitHub. A call to anything else is a violation. */
const PATHS = [
  '/repos/{owner}/{repo}/issues/{issue_number}/comments',
  '/repos/{owner}/{repo}/issues/comments/{comment_id}',
  '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  '/repos/{owner}/{repo}/collaborators/{username}/permission',
  '/repos/{owner}/{repo}/pulls',
  '/repos/{owner}/{repo}/pulls/{pull_number}',
];
const MAX_BODY = 65_536;

/**
 * Stands in for api.github.com: issue comments of one repository. Each request and each of our own
 * responses is checked against GitHub's OpenAPI description; what does not fit lands in `violations`.
 */
export class GitHub {
  /** `GITHUB_API_URL`. */
  url = '';
  readonly repository = 'octo/shop';
  readonly comments: Comment[] = [];
  readonly calls: Call[] = [];
  readonly violations: string[] = [];
  readonly pulls = new Set([7]);
  readonly heads = new Map<number, Head>();
  /** The rights of people: `admin`, `write`, `read`, `none`. Anybody else does not exist. */
  readonly people = new Map<string, string>();
  /** `rocket` and so on, by comment. */
  readonly reactions: { comment: number; content: string }[] = [];
  tokens: Record<string, Token> = {};
  /** Asked before each call; an answer takes the place of the real one. */
  interfere: (operation: string) => Answer | undefined = () => undefined;
  /** Awaited before each answer. */
  delay: (operation: string) => Promise<void> = async () => {};
  #nextId = 0;
  #server: Server | undefined;
  readonly #api: OpenAPIBackend;

  private constructor(api: OpenAPIBackend) {
    this.#api = api;
    this.reset();
  }

  static async start(): Promise<GitHub> {
    const github = new GitHub(
      new OpenAPIBackend({
        definition: describe(),
        quick: true,
        ajvOpts: { strict: false },
        customizeAjv: (ajv) => addFormats.default(ajv),
      }),
    );
    github.#register();
    await github.#api.init();
    github.#server = await serve((asked) => github.#answer(asked));
    github.url = github.#server.url;
    return github;
  }

  async close() {
    await this.#server?.close();
  }

  reset() {
    for (const list of [this.comments, this.calls, this.violations, this.reactions]) list.length = 0;
    this.people.clear();
    this.tokens = {
      'write-token': { login: 'github-actions[bot]', write: true },
      'read-token': { login: 'github-actions[bot]', write: false },
    };
    this.heads.clear();
    this.interfere = () => undefined;
    this.delay = async () => {};
    this.#nextId = 1000;
  }

  /** As if `author` had written it on the web. */
  write(author: string, body: string, issue = 7): Comment {
    const comment = { id: this.#nextId++, issue, author, body, updates: 0 };
    this.comments.push(comment);
    return comment;
  }

  async #answer(asked: Asked): Promise<Answer> {
    const token = /^(?:token|bearer) (.+)$/i.exec(asked.headers.authorization ?? '')?.[1] ?? '';
    if (!asked.headers['user-agent']) this.violations.push('no User-Agent: GitHub answers 403');
    let operation = `${asked.method} ${asked.url.pathname}`;
    const answer = await (async (): Promise<Answer> => {
      if (asked.url.pathname === '/graphql') {
        operation = 'graphql';
        await this.delay(operation);
        return this.#interfered(operation) ?? this.#graphql(asked, token);
      }
      const request = {
        method: asked.method,
        path: asked.url.pathname,
        query: asked.url.search.slice(1),
        headers: asked.headers as Record<string, string>,
        body: asked.body.length ? JSON.parse(asked.body.toString()) : undefined,
      };
      const matched = this.#api.matchOperation(request);
      operation = matched?.operationId ?? operation;
      await this.delay(operation);
      const instead = this.#interfered(operation);
      if (instead) return instead;
      const result = (await this.#api.handleRequest(request, this.tokens[token])) as Answer;
      if (matched) this.#checkResponse(matched, result);
      return result;
    })();
    this.calls.push({ operation, token, status: answer.status, query: asked.url.search });
    return answer;
  }

  #interfered(operation: string): Answer | undefined {
    return this.interfere(operation);
  }

  /** GitHub's GraphQL schema is not part of the OpenAPI description: one query is known, to the letter. */
  #graphql(asked: Asked, token: string): Answer {
    const { query } = JSON.parse(asked.body.toString()) as { query: string };
    if (query.replace(/\s+/g, '') !== '{viewer{login}}')
      this.violations.push(`unknown GraphQL query: ${query}`);
    const known = this.tokens[token];
    if (!known) return refuse(401, 'Bad credentials');
    return { status: 200, body: { data: { viewer: { login: known.login } } } };
  }

  #checkResponse(operation: Operation, { status, body }: Answer) {
    if (status === 204) return;
    const schema = operation.responses?.[status];
    // Errors that the description does not list for this operation still have GitHub's usual form.
    const checked = schema
      ? this.#api.validateResponse(body, operation, status)
      : this.#api.validateResponse(body, 'issues/create-comment', 403);
    for (const error of checked.errors ?? []) {
      // A fork that is gone is null there, which the description does not know.
      if (operation.operationId === 'pulls/get' && error.instancePath === '/head/repo') continue;
      this.violations.push(
        `${operation.operationId} ${status} response${error.instancePath}: ${error.message}`,
      );
    }
  }

  #register() {
    const guarded =
      (act: (context: Context, token: Token) => Answer, needsWrite: boolean) =>
      (context: Context, token: Token | undefined): Answer => {
        if (!token) return refuse(401, 'Bad credentials');
        if (needsWrite && !token.write) return refuse(403, 'Resource not accessible by integration');
        const { owner, repo } = context.request.params as { owner: string; repo: string };
        return `${owner}/${repo}` === this.repository ? act(context, token) : refuse(404, 'Not Found');
      };
    this.#api.register({
      'issues/list-comments': guarded((context) => this.#list(context), false),
      'issues/create-comment': guarded((context, token) => this.#create(context, token), true),
      'issues/update-comment': guarded((context) => this.#update(context), true),
      'issues/delete-comment': guarded((context) => this.#delete(context), true),
      'pulls/list': guarded((context) => this.#listPulls(context), false),
      'pulls/get': guarded((context) => this.#getPull(context), false),
      'reactions/create-for-issue-comment': guarded((context) => this.#react(context), true),
      'repos/get-collaborator-permission-level': guarded((context) => this.#permit(context), false),
      validationFail: (context: Context) => {
        for (const error of context.validation.errors ?? []) {
          this.violations.push(
            `${context.operation.operationId} request${error.instancePath}: ${error.message}`,
          );
        }
        return refuse(422, 'Validation Failed');
      },
      notFound: (context: Context) => {
        this.violations.push(`not described: ${context.request.method} ${context.request.path}`);
        return refuse(404, 'Not Found');
      },
      methodNotAllowed: (context: Context) => {
        this.violations.push(`not described: ${context.request.method} ${context.request.path}`);
        return refuse(404, 'Not Found');
      },
    });
  }

  #list(context: Context): Answer {
    const issue = Number(context.request.params.issue_number);
    if (!this.pulls.has(issue)) return refuse(404, 'Not Found');
    const query = context.request.query as { per_page?: string; page?: string };
    const size = Math.min(Number(query.per_page ?? 30), 100);
    const page = Number(query.page ?? 1);
    const all = this.comments.filter((comment) => comment.issue === issue);
    const last = Math.max(1, Math.ceil(all.length / size));
    const link = (to: number, rel: string) =>
      `<${this.url}/repos/${this.repository}/issues/${issue}/comments?per_page=${size}&page=${to}>; rel="${rel}"`;
    const links = [
      ...(page > 1 ? [link(page - 1, 'prev'), link(1, 'first')] : []),
      ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ];
    return {
      status: 200,
      headers: links.length ? { link: links.join(', ') } : {},
      body: all.slice((page - 1) * size, page * size).map((comment) => this.#render(comment)),
    };
  }

  #create(context: Context, token: Token): Answer {
    const issue = Number(context.request.params.issue_number);
    if (!this.pulls.has(issue)) return refuse(404, 'Not Found');
    const { body } = context.request.requestBody as { body: string };
    if (body.length > MAX_BODY) return tooLong();
    return { status: 201, body: this.#render(this.write(token.login, body, issue)) };
  }

  #update(context: Context): Answer {
    const comment = this.comments.find(({ id }) => id === Number(context.request.params.comment_id));
    if (!comment) return refuse(404, 'Not Found');
    const { body } = context.request.requestBody as { body: string };
    if (body.length > MAX_BODY) return tooLong();
    comment.body = body;
    comment.updates++;
    return { status: 200, body: this.#render(comment) };
  }

  #delete(context: Context): Answer {
    const at = this.comments.findIndex(({ id }) => id === Number(context.request.params.comment_id));
    if (at < 0) return refuse(404, 'Not Found');
    this.comments.splice(at, 1);
    return { status: 204 };
  }

  /** As GitHub, except for the most part of what it says of each, which the description's own examples fill in. */
  #listPulls(context: Context): Answer {
    const { head } = context.request.query as { head?: string };
    const fitting = [...this.heads].filter(([, { label }]) => label === head);
    const { mock } = this.#api.mockResponseForOperation('pulls/list', { code: 200 });
    const example = mock[0];
    return {
      status: 200,
      body: fitting.map(([number, { label, sha }]) => ({
        ...{ ...example, number, requested_teams: [] },
        head: { ...example.head, label, sha, ref: label.split(':')[1] },
      })),
    };
  }

  #getPull(context: Context): Answer {
    const number = Number(context.request.params.pull_number);
    const head = this.heads.get(number);
    if (!head) return refuse(404, 'Not Found');
    const { mock } = this.#api.mockResponseForOperation('pulls/get', { code: 200 });
    const { repo } = mock.base;
    const pushed_at = head.pushed ?? '2026-01-01T00:00:00Z';
    const isOwn = head.label.startsWith(`${this.repository.split('/')[0]}:`);
    return {
      status: 200,
      body: {
        ...{ ...mock, number, requested_teams: [], state: head.closed ? 'closed' : 'open' },
        head: {
          ...{ ...mock.head, label: head.label, sha: head.sha, ref: head.label.split(':')[1] },
          repo: head.pushed === null ? null : { ...mock.head.repo, pushed_at, id: repo.id + (isOwn ? 0 : 1) },
        },
      },
    };
  }

  #react(context: Context): Answer {
    const comment = Number(context.request.params.comment_id);
    if (!this.comments.some(({ id }) => id === comment)) return refuse(404, 'Not Found');
    const { content } = context.request.requestBody as { content: string };
    this.reactions.push({ comment, content });
    const user = this.#renderUser('github-actions[bot]');
    return {
      status: 201,
      body: { id: this.reactions.length, node_id: 'R_1', user, content, created_at: '2026-01-01T00:00:00Z' },
    };
  }

  #permit(context: Context): Answer {
    const login = String(context.request.params.username);
    const permission = this.people.get(login);
    if (permission === undefined) return refuse(404, `${login} is not a user`);
    const user = { ...this.#renderUser(login), role_name: permission };
    return { status: 200, body: { permission, role_name: permission, user } };
  }

  #render({ id, issue, author, body }: Comment) {
    const url = `${this.url}/repos/${this.repository}/issues`;
    return {
      id,
      node_id: `IC_${id}`,
      url: `${url}/comments/${id}`,
      html_url: `https://github.com/${this.repository}/pull/${issue}#issuecomment-${id}`,
      issue_url: `${url}/${issue}`,
      body,
      user: this.#renderUser(author),
      author_association: 'NONE',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    };
  }

  #renderUser(login: string) {
    const url = `${this.url}/users/${encodeURIComponent(login)}`;
    return {
      login,
      id: 1,
      node_id: 'U_1',
      avatar_url: 'https://avatars.githubusercontent.com/u/1',
      gravatar_id: '',
      url,
      html_url: `https://github.com/${encodeURIComponent(login)}`,
      followers_url: `${url}/followers`,
      following_url: `${url}/following{/other_user}`,
      gists_url: `${url}/gists{/gist_id}`,
      starred_url: `${url}/starred{/owner}{/repo}`,
      subscriptions_url: `${url}/subscriptions`,
      organizations_url: `${url}/orgs`,
      repos_url: `${url}/repos`,
      events_url: `${url}/events{/privacy}`,
      received_events_url: `${url}/received_events`,
      type: login.endsWith('[bot]') ? 'Bot' : 'User',
      site_admin: false,
    };
  }
}

/** An error in GitHub's form. */
export function refuse(status: number, message: string): Answer {
  return {
    status,
    body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  };
}

function tooLong(): Answer {
  const message = `Body is too long (maximum is ${MAX_BODY} characters)`;
  const errors = [{ resource: 'IssueComment', code: 'unprocessable', field: 'data', message }];
  return {
    status: 422,
    body: { message: 'Validation Failed', errors, documentation_url: 'https://docs.github.com/rest' },
  };
}

/** GitHub's description, pruned to what we use: compiling all of it takes minutes. */
function describe(): Document {
  const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.deref.json');
  const whole = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const paths = Object.fromEntries(PATHS.map((path) => [path, whole.paths?.[path]]));
  return { openapi: whole.openapi, info: whole.info, paths } as Document;
}
