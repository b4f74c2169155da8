import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** TCP proxy that can be cut. */
export interface BreakableTcp {
  /** The server's URL through the proxy. */
  readonly url: string;
  /** Closes every connection and accepts no new one. */
  cut(): void;
  repair(): void;
  close(): Promise<void>;
}

export async function breakableTcp(targetUrl: string): Promise<BreakableTcp> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((from) => {
    keep(from);
    if (isCut) {
      from.destroy();
      return;
    }
    const to = connect(Number(target.port), target.hostname);
    keep(to);
    from.pipe(to).pipe(from);
    from.on('close', () => to.destroy());
    to.on('close', () => from.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.toString(),
    cut() {
      isCut = true;
      cutAll();
    },
    repair() {
      isCut = false;
    },
    async close() {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
