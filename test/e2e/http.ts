import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Objects are sent as JSON. */
  body?: unknown;
}

export interface Asked {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface Server {
  url: string;
  close(): Promise<void>;
}

/** A server on a free port of 127.0.0.1. Errors that `answer` throws are sent as 500: a test sees them. */
export async function serve(answer: (asked: Asked) => Answer | Promise<Answer>): Promise<Server> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error) =>
      send(response, { status: 500, body: { message: String(error) } }),
    );
  });
  async function handle(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', base());
    send(
      response,
      await answer({
        method: request.method ?? 'GET',
        url,
        headers: request.headers,
        body: Buffer.concat(chunks),
      }),
    );
  }
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: base(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, headers = {}, body }: Answer) {
  const json = body !== undefined && typeof body !== 'string';
  response.writeHead(status, {
    ...(json ? { 'content-type': 'application/json; charset=utf-8' } : {}),
    ...headers,
  });
  response.end(json ? JSON.stringify(body) : body);
}
