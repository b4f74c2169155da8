import { setImmediate as turn } from 'node:timers/promises';
import { type Connection, isAmong } from './connect';
import type { VettedAddress } from './resolve-target';

/** How many connections may wait, and how old they get. */
export interface IdleLimits {
  readonly total: number;
  /** From when they were connected, milliseconds. */
  readonly lifeMs: number;
}

/** Connections that wait for the next POST of the same owner to the same host. */
export interface IdleConnections {
  /**
   * One that is connected to one of these addresses, and is alive: nothing came over it since its last answer, neither bytes nor its end.
   * Others of its key that are connected elsewhere are closed.
   */
  take(key: string, addresses: readonly VettedAddress[]): Promise<Connection | undefined>;
  /** Keeps a connection for `idleMs`, and no longer than it may live. When there are too many, the one that waits the longest is closed. */
  put(key: string, connection: Connection, idleMs: number): void;
  /** Closes those of a key. */
  drop(key: string): void;
  total(): number;
  close(): void;
}

interface Idle {
  readonly key: string;
  readonly connection: Connection;
  /** Ends the watch. */
  unwatch(): void;
}

export function createIdleConnections({ total, lifeMs }: IdleLimits, monotonicMs: () => number): IdleConnections {
  /** In the order in which they began to wait. */
  const all = new Set<Idle>();
  const byKey = new Map<string, Set<Idle>>();

  function remove(idle: Idle): void {
    all.delete(idle);
    const others = byKey.get(idle.key);
    others?.delete(idle);
    if (others?.size === 0) byKey.delete(idle.key);
  }

  function end(idle: Idle): void {
    remove(idle);
    idle.unwatch();
    idle.connection.socket.destroy();
  }

  function drop(key: string): void {
    for (const idle of byKey.get(key) ?? []) end(idle);
  }

  /** The one that has waited the shortest; it is watched until it is known to be alive. */
  function next(key: string, addresses: readonly VettedAddress[]): Idle | undefined {
    for (const idle of [...(byKey.get(key) ?? [])].reverse()) {
      const { address, connectedMs } = idle.connection;
      if (isAmong(addresses, address) && monotonicMs() - connectedMs < lifeMs) {
        remove(idle);
        return idle;
      }
      end(idle);
    }
    return undefined;
  }

  return {
    async take(key, addresses) {
      for (let idle = next(key, addresses); idle !== undefined; idle = next(key, addresses)) {
        // Twice around the event loop: what has reached this machine by now is seen.
        await turn();
        await turn();
        idle.unwatch();
        if (isUsable(idle.connection)) return idle.connection;
        idle.connection.socket.destroy();
      }
      return undefined;
    },
    put(key, connection, idleMs) {
      const leftMs = Math.min(idleMs, connection.connectedMs + lifeMs - monotonicMs());
      if (leftMs <= 0 || !isUsable(connection)) return void connection.socket.destroy();
      const idle: Idle = { key, connection, unwatch: watch(connection, leftMs, () => end(idle)) };
      all.add(idle);
      byKey.set(key, (byKey.get(key) ?? new Set()).add(idle));
      const [oldest] = all;
      if (all.size > total && oldest !== undefined) end(oldest);
    },
    drop,
    total: () => all.size,
    close() {
      for (const key of [...byKey.keys()]) drop(key);
    },
  };
}

function isUsable({ socket }: Connection): boolean {
  return !socket.destroyed && socket.readable && socket.writable && socket.readableLength === 0;
}

/** Calls `onEnd` after `leftMs`, and as soon as anything comes over the connection, which is then destroyed. */
function watch({ socket }: Connection, leftMs: number, onEnd: () => void): () => void {
  const onSign = (): void => {
    socket.destroy();
    onEnd();
  };
  const timer = setTimeout(onEnd, leftMs);
  socket.on('data', onSign).on('end', onSign).on('close', onSign);
  return () => {
    clearTimeout(timer);
    socket.off('data', onSign).off('end', onSign).off('close', onSign);
  };
}
