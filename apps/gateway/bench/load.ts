import { connect, type Socket } from 'node:net';

/** Closes a connection before the server would. */
const REQUESTS_PER_SOCKET = 900;

export interface LoadOptions {
  readonly port: number;
  readonly requests: readonly Buffer[];
  readonly durationMs: number;
}

function contentLength(head: string): number {
  return Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

/** Sends requests one at a time on each connection and counts complete answers with status 200. */
export async function runLoad(options: LoadOptions): Promise<number> {
  const endMs = performance.now() + options.durationMs;
  const totals = await Promise.all(options.requests.map((request) => keepAsking(options.port, request, endMs)));
  return totals.reduce((sum, total) => sum + total, 0);
}

async function keepAsking(port: number, request: Buffer, endMs: number): Promise<number> {
  let total = 0;
  while (performance.now() < endMs) total += await askOnOneSocket(port, request, endMs);
  return total;
}

function askOnOneSocket(port: number, request: Buffer, endMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.setNoDelay(true);
    let total = 0;
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
      total += 1;
      if (total >= REQUESTS_PER_SOCKET || performance.now() >= endMs) {
        socket.destroy();
        resolve(total);
      } else socket.write(request);
    });
    socket.on('error', reject);
  });
}
