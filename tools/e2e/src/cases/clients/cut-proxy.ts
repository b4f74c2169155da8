import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy on loopback before a gateway: to a client it goes away and comes back as the gateway does when it is killed. */
export interface CutProxy {
  readonly url: string;
  /** Breaks every connection, refuses new ones, and then serves again at the same address. */
  restart(): Promise<void>;
  /** Breaks the next connection that has brought so many bytes, once. */
  cutAfterBytes(bytes: number): void;
  /** Connections that were broken. */
  cuts(): number;
  close(): Promise<void>;
}

export async function openCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let cuts = 0;
  let bytesLeft = Number.POSITIVE_INFINITY;
  let port = 0;
  let server: Server;

  function pass(client: Socket): void {
    const service = connect(Number(targetPort), hostname);
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        service.destroy();
      });
    }
    client.pipe(service);
    let brought = 0;
    service.on('data', (piece: Buffer) => {
      brought += piece.length;
      if (brought < bytesLeft) return void client.write(piece);
      bytesLeft = Number.POSITIVE_INFINITY;
      cuts += 1;
      client.write(piece.subarray(0, piece.length >> 1), () => client.resetAndDestroy());
    });
  }

  async function listen(): Promise<void> {
    server = createServer(pass).listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  }

  async function stop(): Promise<void> {
    cuts += sockets.size / 2;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  }

  await listen();
  return {
    url: `http://127.0.0.1:${port}`,
    async restart() {
      await stop();
      await listen();
    },
    cutAfterBytes(bytes) {
      bytesLeft = bytes;
    },
    cuts: () => cuts,
    close: stop,
  };
}
