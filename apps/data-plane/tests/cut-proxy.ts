import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Proxy to a store whose connections can be cut. */
export interface CutProxy {
  /** Through the proxy. */
  readonly url: string;
  /** Breaks all connections and refuses new ones until the proxy is restored. */
  cut(): void;
  repair(): void;
  close(): Promise<void>;
}

export async function startCutProxy(storeUrl: string): Promise<CutProxy> {
  const target = new URL(storeUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(storeUrl);
  through.port = String((server.address() as AddressInfo).port);
  const breakAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: through.href,
    cut() {
      isCut = true;
      breakAll();
    },
    repair() {
      isCut = false;
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
