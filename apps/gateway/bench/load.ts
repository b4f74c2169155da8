import { connect, type Socket } from 'node:net';

/** Closes a connection before the server would. */
const REQUESTS_PER_SOCKET = 900;

export interface LoadOptions {
  readonly port: number;
  /** One per connection. */
  readonly requests: readonly Buffer[];
  /** Requests of all connections together. */
  readonly total: number;
}

function contentLength(head: string): number {
  return Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

/** Sends requests one at a time on each connection, until `total` answers with status 200 are complete. */
export async function runLoad({ port, requests, total }: LoadOptions): Promise<void> {
  const left = { requests: total };
  await Promise.all(requests.map((request) => keepAsking(port, request, left)));
}

interface Left {
  requests: number;
}

async function keepAsking(port: number, request: Buffer, left: Left): Promise<void> {
  while (left.requests > 0) await askOnOneSocket(port, request, left);
}

function askOnOneSocket(port: number, request: Buffer, left: Left): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1', send);
    socket.setNoDelay(true);
    let sent = 0;
    let missing = -1;
    let head: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      if (missing < 0) {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        const text = head.toString('latin1', 0, end);
        if (!text.startsWith('HTTP/1.1 200')) {
          reject(new Error(text.split('\r\n')[0]));
          socket.destroy();
          return;
        }
        missing = contentLength(text) - (head.length - end - 4);
        head = Buffer.alloc(0);
      } else missing -= chunk.length;
      if (missing > 0) return;
      missing = -1;
      send();
    });
    socket.on('error', reject);

    function send(): void {
      if (sent >= REQUESTS_PER_SOCKET || left.requests <= 0) {
        socket.destroy();
        resolve();
        return;
      }
      sent += 1;
      left.requests -= 1;
      socket.write(request);
    }
  });
}
