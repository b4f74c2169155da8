import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** Scripted venue on a free loopback port. */
export interface LoopbackVenue {
  readonly wsUrl: string;
  readonly restUrl: string;
  /** POST bodies, in order. */
  readonly requested: readonly unknown[];
  close(): Promise<void>;
}

/** A POST response is text or a status. */
export interface Script {
  onOpen?(socket: WebSocket, index: number): void;
  answer?(body: unknown): string | number;
  readonly autoPong?: boolean;
}

export async function startLoopbackVenue({ onOpen, answer, autoPong = true }: Script): Promise<LoopbackVenue> {
  const requested: unknown[] = [];
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString() || 'null');
      requested.push(body);
      const answered = answer?.(body) ?? 404;
      if (typeof answered === 'number') res.writeHead(answered).end();
      else res.end(answered);
    });
  });
  const sockets = new WebSocketServer({ server, autoPong });
  let opened = 0;
  sockets.on('connection', (socket) => onOpen?.(socket, opened++));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    wsUrl: `ws://127.0.0.1:${port}/ws`,
    restUrl: `http://127.0.0.1:${port}`,
    requested,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
