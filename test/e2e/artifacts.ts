import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { z } from 'zod';
import { type Answer, type Asked, type Server, serve } from './http.ts';

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';
const RUN = 'ce7f54c7-61c7-4aae-887f-30da475f5f1a';
const JOB = 'ca395085-040a-526b-2ce8-bdc85f692774';

const ids = { workflow_run_backend_id: z.literal(RUN), workflow_job_run_backend_id: z.literal(JOB) };
const Create = z.strictObject({
  ...ids,
  name: z.string().regex(/^[^"<>:|*?\r\n\\/]+$/),
  version: z.literal(7),
  mime_type: z.literal('application/zip'),
  expires_at: z.string().optional(),
});
const Finalize = z.strictObject({
  ...ids,
  name: z.string(),
  size: z.string().regex(/^\d+$/),
  hash: z.string().startsWith('sha256:'),
});

interface Blob {
  blocks: Map<string, Buffer>;
  /** Null until the list of blocks came. */
  zip: Buffer | null;
  finalized: boolean;
}

/**
 * Stands in for the service behind `ACTIONS_RESULTS_URL` and the blob store it points to: the part of
 * their protocols that uploads an artifact of version 7. Strict: unknown fields, a wrong size or a wrong
 * hash are refused.
 */
export class Artifacts {
  /** `ACTIONS_RESULTS_URL`. */
  url = '';
  /** `ACTIONS_RUNTIME_TOKEN`: unsigned, the client only reads its scopes. */
  readonly token = [
    '{"alg":"none"}',
    JSON.stringify({ scp: `Actions.Other Actions.Results:${RUN}:${JOB}` }),
    '',
  ]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
  readonly violations: string[] = [];
  /** Complete artifacts are unpacked here as well, each in a folder of its name. */
  folder: string | null = null;
  /** Asked before each call (`CreateArtifact`, `blob`, …); an answer takes the place of the real one. */
  interfere: (operation: string) => Answer | undefined = () => undefined;
  readonly #blobs = new Map<string, Blob>();
  #server: Server | undefined;

  static async start(): Promise<Artifacts> {
    const artifacts = new Artifacts();
    artifacts.#server = await serve((asked) => artifacts.#answer(asked));
    artifacts.url = artifacts.#server.url;
    return artifacts;
  }

  async close() {
    await this.#server?.close();
  }

  /** Names of the artifacts that are complete. */
  names(): string[] {
    return [...this.#blobs].filter(([, blob]) => blob.finalized).map(([name]) => name);
  }

  /** The files in an artifact, path → text. */
  open(name: string): Record<string, string> {
    const zip = this.#blobs.get(name)?.zip;
    if (!zip) throw new Error(`no artifact ${name}; there are: ${this.names().join(', ') || 'none'}`);
    return Object.fromEntries(
      Object.entries(unzipSync(zip)).map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
    );
  }

  #unpack(name: string) {
    if (this.folder === null) return;
    for (const [path, text] of Object.entries(this.open(name))) {
      const file = join(this.folder, name, path);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text);
    }
  }

  reset() {
    this.#blobs.clear();
    this.violations.length = 0;
    this.interfere = () => undefined;
  }

  #answer(asked: Asked): Answer {
    const { pathname } = asked.url;
    const operation = pathname.startsWith('/blob/') ? 'blob' : pathname.slice(SERVICE.length);
    const instead = this.interfere(operation);
    if (instead) return instead;
    if (operation === 'blob') return this.#store(asked);
    if (asked.headers.authorization !== `Bearer ${this.token}`)
      return this.#refuse(401, 'unauthenticated', 'bad token');
    if (pathname === `${SERVICE}CreateArtifact`) return this.#create(asked);
    if (pathname === `${SERVICE}FinalizeArtifact`) return this.#finalize(asked);
    return this.#violate('bad_route', `${asked.method} ${pathname}`);
  }

  #create(asked: Asked): Answer {
    const request = Create.safeParse(JSON.parse(asked.body.toString()));
    if (!request.success) return this.#violate('malformed', z.prettifyError(request.error));
    const { name } = request.data;
    if (this.#blobs.get(name)?.finalized) {
      return this.#refuse(
        409,
        'already_exists',
        'an artifact with this name already exists on the workflow run',
      );
    }
    this.#blobs.set(name, { blocks: new Map(), zip: null, finalized: false });
    const signed = `${this.url}/blob/${encodeURIComponent(name)}?sv=2025-01-05&sig=${signature(name)}`;
    return { status: 200, body: { ok: true, signed_upload_url: signed } };
  }

  /** The two calls of the Azure SDK's `uploadStream`: `Put Block`, `Put Block List`. */
  #store({ method, url, body }: Asked): Answer {
    const name = decodeURIComponent(url.pathname.slice('/blob/'.length));
    const blob = this.#blobs.get(name);
    const query = url.searchParams;
    if (!blob || query.get('sig') !== signature(name)) return this.#violate('AuthenticationFailed', url.href);
    if (method === 'PUT' && query.get('comp') === 'block') {
      blob.blocks.set(query.get('blockid') ?? '', body);
    } else if (method === 'PUT' && query.get('comp') === 'blocklist') {
      const listed = [...body.toString().matchAll(/<Latest>([^<]+)<\/Latest>/g)].map(([, id]) => id ?? '');
      const blocks = listed.map((id) => blob.blocks.get(id));
      if (blocks.includes(undefined)) return this.#violate('InvalidBlockList', listed.join());
      blob.zip = Buffer.concat(blocks as Buffer[]);
    } else return this.#violate('UnsupportedOperation', `${method} ${url.href}`);
    const headers = {
      'x-ms-version': '2025-01-05',
      'x-ms-request-id': '1',
      'x-ms-request-server-encrypted': 'true',
    };
    return { status: 201, headers };
  }

  #finalize(asked: Asked): Answer {
    const request = Finalize.safeParse(JSON.parse(asked.body.toString()));
    if (!request.success) return this.#violate('malformed', z.prettifyError(request.error));
    const { name, size, hash } = request.data;
    const blob = this.#blobs.get(name);
    if (!blob?.zip) return this.#violate('not_found', name);
    if (Number(size) !== blob.zip.length) return this.#violate('invalid_argument', `size ${size}`);
    const actual = createHash('sha256').update(blob.zip).digest('hex');
    if (hash !== `sha256:${actual}`) return this.#violate('invalid_argument', `hash ${hash}, is ${actual}`);
    blob.finalized = true;
    this.#unpack(name);
    return {
      status: 200,
      body: { ok: true, artifact_id: String([...this.#blobs.keys()].indexOf(name) + 1) },
    };
  }

  #violate(code: string, msg: string): Answer {
    this.violations.push(`${code}: ${msg}`);
    return this.#refuse(400, code, msg);
  }

  #refuse(status: number, code: string, msg: string): Answer {
    return { status, body: { code, msg } };
  }
}

function signature(name: string): string {
  return createHash('sha256').update(`signed ${name}`).digest('hex');
}
