import { type BootedGateway, bootGateway, lastWindowEndMs } from './boot';
import { type OpenedStream, openStream, type StreamMessage } from './event-stream';
import { packetRecord } from './packet-record';
import { logGap, logRow } from './row-log';

export const BTC = 'BTCUSD-PERP';
export const ETH = 'ETHUSD-PERP';
/** Start of the second symbol's log: it retains rows that the first no longer has. */
export const ETH_FROM = 100_000;

/** Message without its id, which depends on how symbols are interleaved. */
export interface Part {
  readonly symbol: string;
  readonly event: string;
  readonly data: string;
}

const parts = new WeakMap<StreamMessage, Part>();

/** Parses each message once; tests call `partsOf` on all messages whenever one arrives. */
function partOf(message: StreamMessage): Part {
  const { event, data } = message;
  const part = parts.get(message) ?? { symbol: symbolIn(data), event, data };
  parts.set(message, part);
  return part;
}

export function partsOf(messages: readonly StreamMessage[]): Part[] {
  return messages.filter(({ event }) => event === 'row' || event === 'gap' || event === 'packet' || event === 'conflated').map(partOf);
}

function symbolIn(data: string): string {
  const { symbol, row, packet } = JSON.parse(data) as { symbol?: string; row?: { symbol: string }; packet?: { symbol: string } };
  return symbol ?? row?.symbol ?? packet?.symbol ?? '';
}

/** Messages of each symbol, in order. */
export function bySymbol(parts: readonly Part[], symbols: readonly string[]): string[][] {
  return symbols.map((symbol) => parts.filter((part) => part.symbol === symbol).map(({ event, data }) => `${event} ${data}`));
}

/** Gateway with twenty rows and a packet for each of two symbols. */
export interface TwoSymbols {
  readonly booted: BootedGateway;
  /** Adds rows of a symbol, with gaps among them. */
  append(symbol: string, total: number, sizeBytes?: number): void;
  /** Ordinal of a symbol's newest row. */
  newest(symbol: string): number;
  /** Creates each symbol's next packet; returns its window end. */
  packets(...symbols: readonly string[]): number;
  open(path: string, lastEventId?: string): Promise<OpenedStream>;
  /** Opens a stream and waits for its first message. */
  opened(path: string, lastEventId?: string): Promise<OpenedStream>;
}

export async function bootTwoSymbols(): Promise<TwoSymbols> {
  const bootMs = Date.now();
  const booted = await bootGateway({ now: () => bootMs });
  const newest = new Map([
    [BTC, 0],
    [ETH, ETH_FROM],
  ]);
  let windowEndMs = lastWindowEndMs(bootMs);

  function append(symbol: string, total: number, sizeBytes = 0): void {
    for (let step = 0; step < total; step += 1) {
      const ordinal = (newest.get(symbol) ?? 0) + 1;
      newest.set(symbol, ordinal);
      booted.dataPlane.rows.append({ symbol, row: logRow(symbol, ordinal, ordinal % 3 === 0 ? 'trades' : 'book', sizeBytes) });
      if (ordinal % 11 === 0) booted.dataPlane.rows.append({ symbol, gap: logGap(symbol, ordinal) });
      if (ordinal % 33 === 0) booted.dataPlane.rows.append({ symbol, gap: logGap(symbol, ordinal, 'book', 1) });
    }
  }

  function open(path: string, lastEventId?: string): Promise<OpenedStream> {
    return openStream(booted.gateway.url + path, {
      'x-market-state-api-key': booted.key,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
  }

  append(BTC, 20);
  append(ETH, 20);
  return {
    booted,
    append,
    newest: (symbol) => newest.get(symbol) ?? 0,
    packets(...symbols) {
      windowEndMs += 10_000;
      for (const symbol of symbols) booted.labeling.push(packetRecord(symbol, windowEndMs));
      return windowEndMs;
    },
    open,
    async opened(path, lastEventId) {
      const stream = await open(path, lastEventId);
      await stream.until((messages) => messages.length > 0);
      return stream;
    },
  };
}
