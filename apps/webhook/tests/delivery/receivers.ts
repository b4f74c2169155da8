import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { makeAuthority, makeServiceCertificate } from '@market-state/certificates';
import { Webhook } from 'standardwebhooks';

const DAY_MS = 86_400_000;

/** Received delivery. */
export interface Received {
  readonly id: string;
  readonly path: string;
  readonly signatures: number;
  readonly body: { readonly type: string; readonly data: Record<string, unknown> };
}

/** Response of a path; `count` is the number of arrivals there, from 1. */
export type Behaviour = (response: ServerResponse, count: number) => void;

export const ok: Behaviour = (response) => response.writeHead(204).end();
export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(code, headers).end();
export const hang: Behaviour = () => undefined;

/** HTTPS server with a receiver per path. Each verifies signatures with the reference library. */
export async function startReceivers() {
  const validity = { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS };
  const authority = await makeAuthority('Receivers', validity);
  const { certificate, key } = await makeServiceCertificate(authority, { name: 'localhost', ...validity });
  const paths = new Map<string, { behaviour: Behaviour; secrets: string[] }>();
  const received: Received[] = [];
  const faults: unknown[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => void answer(request, response));
  server.keepAliveTimeout = 60_000;
  let connections = 0;
  server.on('secureConnection', () => {
    connections += 1;
  });
  // Tracked because the server does not close sockets during a handshake.
  const sockets = new Set<Socket>();
  let isAway = false;
  server.on('connection', (socket: Socket) => {
    if (isAway) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = request.url ?? '';
    const target = paths.get(path);
    const headers = request.headers as Record<string, string>;
    try {
      const text = Buffer.concat(chunks).toString('utf8');
      for (const secret of target?.secrets ?? []) new Webhook(secret).verify(text, headers);
      const signatures = (headers['webhook-signature'] ?? '').split(' ').length;
      received.push({ id: headers['webhook-id'] ?? '', path, signatures, body: JSON.parse(text) });
    } catch (error) {
      faults.push(error);
    }
    target?.behaviour(response, received.filter((entry) => entry.path === path).length);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ca: authority.certificate,
    received,
    faults,
    /** Connections opened so far. */
    connections: () => connections,
    at: (path: string) => received.filter((entry) => entry.path === path),
    /** Sets the behaviour of a path. @returns its URL */
    set(path: string, behaviour: Behaviour, ...secrets: string[]): string {
      paths.set(path, { behaviour, secrets });
      return `https://localhost:${port}${path}`;
    },
    /** Drops current requests, refuses connections while the callback runs, and forgets received messages. */
    async reset(whileDown: () => Promise<void>) {
      isAway = true;
      for (const socket of sockets) socket.destroy();
      await whileDown();
      isAway = false;
      paths.clear();
      received.length = 0;
      faults.length = 0;
      connections = 0;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;
