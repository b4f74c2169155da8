import type { StoredPacket } from './packet';

/** Packets that may wait for one reader; beyond it only the newest of each symbol are kept for it. */
export const READER_BUFFER_MAX = 64;

/** Hands stored packets to every reader of this process. */
export interface PacketFeed {
  /** Takes a packet unless one of its symbol as new was taken before. */
  publish(packet: StoredPacket): void;
  /** When the newest packet of a symbol was made, milliseconds since the epoch. */
  newestMadeMs(symbol: string): number | undefined;
  /**
   * The newest packet of each symbol, then every later one in order; a reader that is too slow misses older ones. Gives
   * undefined whenever nothing came for `idleMs`. Ends when the signal aborts.
   */
  open(symbols: readonly string[], idleMs: number, signal: AbortSignal): AsyncIterable<StoredPacket | undefined>;
}

interface Reader {
  readonly symbols: ReadonlySet<string>;
  waiting: StoredPacket[];
  wake: () => void;
}

/** A feed that starts with the newest packets stored before. */
export function createPacketFeed(newestStored: Iterable<StoredPacket>): PacketFeed {
  const newest = new Map<string, StoredPacket>();
  const readers = new Set<Reader>();
  for (const packet of newestStored) newest.set(packet.symbol, packet);

  return {
    publish(packet) {
      const before = newest.get(packet.symbol);
      if (before !== undefined && before.windowEndMs >= packet.windowEndMs) return;
      newest.set(packet.symbol, packet);
      for (const reader of readers) if (reader.symbols.has(packet.symbol)) offer(reader, packet);
    },
    newestMadeMs: (symbol) => newest.get(symbol)?.generatedTsMs,
    async *open(symbols, idleMs, signal) {
      const waiting = symbols.flatMap((symbol) => newest.get(symbol) ?? []);
      const reader: Reader = { symbols: new Set(symbols), waiting, wake: () => undefined };
      const onAbort = (): void => reader.wake();
      readers.add(reader);
      signal.addEventListener('abort', onAbort);
      try {
        while (!signal.aborted) {
          const packet = reader.waiting.shift();
          if (packet !== undefined) yield packet;
          else if ((await nothingCame(reader, idleMs)) && !signal.aborted) yield undefined;
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
        readers.delete(reader);
      }
    },
  };
}

function offer(reader: Reader, packet: StoredPacket): void {
  reader.waiting.push(packet);
  if (reader.waiting.length > READER_BUFFER_MAX) {
    reader.waiting = [...new Map(reader.waiting.map((waiting) => [waiting.symbol, waiting])).values()];
  }
  reader.wake();
}

/** Waits for a wake-up; true when `idleMs` passed without one. */
function nothingCame(reader: Reader, idleMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), idleMs);
    reader.wake = () => {
      clearTimeout(timer);
      resolve(false);
    };
  });
}
