import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { makeAuthority, makeServiceCertificate } from '@market-state/certificates';

const DAY_MS = 86_400_000;

/** Server on a free loopback port; `close` also ends its connections. */
export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/** Servers with certificates of a trusted and of an unknown authority. */
export async function makeReceivers() {
  const validity = { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS };
  const [authority, foreign] = await Promise.all([makeAuthority('Known', validity), makeAuthority('Foreign', validity)]);
  const open: Receiver[] = [];
  const add = async (server: Server) => {
    const receiver = await listen(server);
    open.push(receiver);
    return receiver;
  };
  return {
    ca: authority.certificate,
    async https(listener: RequestListener, { name = 'localhost', known = true } = {}) {
      const { certificate, key } = await makeServiceCertificate(known ? authority : foreign, { name, ...validity });
      return add(createHttpsServer({ cert: certificate, key }, listener));
    },
    async tls(onConnection: (socket: Socket) => void) {
      const { certificate, key } = await makeServiceCertificate(authority, { name: 'localhost', ...validity });
      return add(createTlsServer({ cert: certificate, key }, onConnection));
    },
    tcp: (onConnection: (socket: Socket) => void) => add(createServer(onConnection)),
    close: () => Promise.all(open.map((receiver) => receiver.close())),
  };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function listen(server: Server): Promise<Receiver> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/hook?a=b`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
