import { STREAM_LIMITS } from './limits';
import { openRowHub, type RowHub, type RowHubDeps } from './row-hub';

/** A hub in use. */
export interface HubLease {
  readonly hub: RowHub;
  release(): void;
}

/** The hubs of the symbols that have readers. */
export interface RowHubs {
  /** The hub of a symbol, opened for its first reader. Rejects with the source's ServiceError. */
  enter(symbol: string): Promise<HubLease>;
  close(): Promise<void>;
}

interface Held {
  readonly hub: Promise<RowHub>;
  readers: number;
  linger?: NodeJS.Timeout;
}

/** Opens a hub with its first reader and closes it some time after the last has left, or when its source is lost. */
export function createRowHubs(deps: RowHubDeps): RowHubs {
  const held = new Map<string, Held>();
  const closing = new Set<Promise<void>>();

  function drop(symbol: string, entry: Held): void {
    clearTimeout(entry.linger);
    if (held.get(symbol) === entry) held.delete(symbol);
    const closed = entry.hub.then((hub) => hub.close()).catch(() => undefined);
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  function hold(symbol: string): Held {
    const known = held.get(symbol);
    if (known !== undefined) return known;
    const entry: Held = { hub: openRowHub(symbol, deps), readers: 0 };
    held.set(symbol, entry);
    entry.hub.then(
      (hub) => hub.lost.addEventListener('abort', () => drop(symbol, entry), { once: true }),
      () => drop(symbol, entry),
    );
    return entry;
  }

  function leave(symbol: string, entry: Held): void {
    entry.readers -= 1;
    if (entry.readers === 0) entry.linger = setTimeout(() => drop(symbol, entry), STREAM_LIMITS.hubLingerMs).unref();
  }

  return {
    async enter(symbol) {
      const entry = hold(symbol);
      entry.readers += 1;
      clearTimeout(entry.linger);
      try {
        const hub = await entry.hub;
        let left = false;
        const release = (): void => {
          if (!left) leave(symbol, entry);
          left = true;
        };
        return { hub, release };
      } catch (error) {
        entry.readers -= 1;
        throw error;
      }
    },
    async close() {
      for (const [symbol, entry] of [...held]) drop(symbol, entry);
      await Promise.all(closing);
    },
  };
}
