import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire that breaks now and then. */
export interface ResetProxy {
  /** Loopback port to connect to. */
  readonly port: number;
  /** Connections broken so far. */
  resets(): number;
  /** When it broke one last, by `performance.now()`; minus infinity before. */
  lastResetMs(): number;
  /** From now on it breaks nothing. */
  calm(): void;
  /** Breaks again. */
  stir(): void;
  close(): Promise<void>;
}

/**
 * Stands before a loopback port and resets the connection with this probability at each piece of data, before the piece is passed on or
 * after it: what was asked may have been done, without an answer.
 */
export async function startResetProxy(targetPort: number, probability: number, random: () => number): Promise<ResetProxy> {
  const sockets = new Set<Socket>();
  let resets = 0;
  let lastResetMs = Number.NEGATIVE_INFINITY;
  let isCalm = false;
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    const breakBoth = (): void => {
      near.resetAndDestroy();
      far.resetAndDestroy();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (piece) => {
        const breaks = !isCalm && random() < probability;
        const passes = !breaks || random() < 0.5;
        if (passes) to.write(piece, () => breaks && breakBoth());
        if (breaks) {
          resets += 1;
          lastResetMs = performance.now();
        }
        if (!passes) breakBoth();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    resets: () => resets,
    lastResetMs: () => lastResetMs,
    calm() {
      isCalm = true;
    },
    stir() {
      isCalm = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
