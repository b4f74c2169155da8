import type { StoredPacket } from './packet';

/** Backlog per reader; beyond it, only the newest packet of each symbol is retained. */
export const READER_BUFFER_MAX = 64;

export interface PacketFeed {
  /** Ignores a packet that is not newer than its symbol's last one. */
  publish(packet: StoredPacket): void;
  newestMadeMs(symbol: string): number | undefined;
  /**
   * Yields the newest packet of each symbol, then later ones in order; slow readers miss older ones. Yields undefined
   * after `idleMs` without a packet. Ends when the signal aborts.
   */
  open(symbols: readonly string[], idleMs: number, signal: AbortSignal): AsyncIterable<StoredPacket | undefined>;
}

interface Reader {
  readonly symbols: ReadonlySet<string>;
  waiting: StoredPacket[];
  wake: () => void;
}

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

function nothingCame(reader: Reader, idleMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), idleMs);
    reader.wake = () => {
      clearTimeout(timer);
      resolve(false);
    };
  });
}
