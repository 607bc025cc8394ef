import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface Page {
  name: string;
  characters: number;
  gzip: boolean;
}

export const PAGES: readonly Page[] = [
  { name: 'small', characters: 300, gzip: false },
  { name: '25 kB', characters: 25_000, gzip: false },
  { name: '25 kB, gzip', characters: 25_000, gzip: true },
];

export function textOf({ characters }: Page): string {
  const words = 'Wheelbarrow galvanised watering pruning secateurs greenhouse trellis compost'.split(' ');
  const items = Array.from({ length: characters }, (_, i) => `<li>${words[(i * 7) % 8]} ${i}</li>`);
  return items.join('\n').slice(0, characters);
}

function answerWith(page: Page): Buffer {
  const body = page.gzip ? gzipSync(textOf(page)) : Buffer.from(textOf(page));
  const headers = [
    'HTTP/1.1 200 OK',
    'Server: Apache',
    'Date: Sun, 22 Nov 2026 12:00:00 GMT',
    'X-Powered-By: PHP/8.4.1',
    'Content-Type: text/html; charset=UTF-8',
    ...(page.gzip ? ['Content-Encoding: gzip', 'Vary: Accept-Encoding'] : []),
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${headers.join('\r\n')}\r\n\r\n`), body]);
}

/** Answers every request with one page, as fast as it can, and counts them. */
export class PageServer {
  served = 0;
  private readonly answer: Buffer;
  private readonly server: Server;

  constructor(page: Page) {
    this.answer = answerWith(page);
    this.server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => socket.destroy());
      // A client of k6 sends one GET after the other; each is one segment.
      socket.on('data', () => {
        this.served++;
        socket.write(this.answer);
      });
    });
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
  }
}
