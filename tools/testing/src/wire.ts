import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Closer } from '@market-state/lifecycle';

/** A loopback connection that breaks at random. */
export interface Wire {
  readonly port: number;
  resets(): number;
  /** Stops breaking connections. */
  calm(): void;
  stir(): void;
}

export interface WireSettings {
  readonly port: number;
  readonly probability: number;
  readonly random: () => number;
}

/**
 * Resets the connection with this probability at each chunk, before or after forwarding it: a request may have been
 * executed without an answer.
 */
export async function openWire(closer: Closer, { port: targetPort, probability, random }: WireSettings): Promise<Wire> {
  const sockets = new Set<Socket>();
  let resets = 0;
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
        if (breaks) resets += 1;
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
  closer.add('wire', async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return {
    port: (server.address() as AddressInfo).port,
    resets: () => resets,
    calm() {
      isCalm = true;
    },
    stir() {
      isCalm = false;
    },
  };
}

export async function openDatabaseWire(
  closer: Closer,
  { url, ...settings }: Omit<WireSettings, 'port'> & { readonly url: string },
): Promise<{ readonly wire: Wire; readonly url: string }> {
  const through = new URL(url);
  const wire = await openWire(closer, { ...settings, port: Number(through.port) });
  through.port = String(wire.port);
  return { wire, url: through.href };
}
