import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { type PlayedInstrument, readRecordingLine, recordingLineBatches } from '@market-state/market-data';
import type { BinanceMarket } from '@market-state/venues';

/** A published level: decimal strings, the quantity in the venue's units. */
export type ReportedLevel = readonly [price: string, quantity: string];

/**
 * The venue's true book: plain maps from price to quantity, updated by every diff. Shares no code with the subject
 * under test.
 */
export class TrueBook {
  private readonly bids: Map<number, string>;
  private readonly asks: Map<number, string>;

  constructor(
    snapshot: RawSnapshot,
    public lastId = snapshot.lastUpdateId,
    public timeMs = 0,
  ) {
    this.bids = byPrice(snapshot.bids);
    this.asks = byPrice(snapshot.asks);
  }

  apply({ b, a, u, T }: RawDiff): void {
    change(this.bids, b);
    change(this.asks, a);
    this.lastId = u;
    this.timeMs = T;
  }

  copy(): TrueBook {
    return new TrueBook({ lastUpdateId: this.lastId, bids: levelsOf(this.bids), asks: levelsOf(this.asks) }, this.lastId, this.timeMs);
  }

  /** REST depth answer with the best levels. COIN-M names the instrument, USD-M does not. */
  answer(symbol: string | undefined, limit = Infinity): string {
    const { lastId: lastUpdateId, timeMs } = this;
    const best = (side: ReadonlyMap<number, string>, sign: 1 | -1) =>
      levelsOf(side)
        .sort(([a], [b]) => sign * (Number(a) - Number(b)))
        .slice(0, limit);
    return JSON.stringify({ lastUpdateId, E: timeMs, T: timeMs, symbol, bids: best(this.bids, -1), asks: best(this.asks, 1) });
  }

  /** Checks a side's best levels, best first: at least `fewest`, or all there are. */
  isSide(side: 'bids' | 'asks', reported: readonly ReportedLevel[], fewest: number): boolean {
    const levels = this[side];
    const sign = side === 'bids' ? -1 : 1;
    if (reported.length < Math.min(fewest, levels.size)) return false;
    let last = -Infinity;
    for (const [price, quantity] of reported) {
      const place = sign * Number(price);
      if (place <= last || Number(levels.get(Number(price))) !== Number(quantity)) return false;
      last = place;
    }
    let better = 0;
    for (const price of levels.keys()) if (sign * price <= last) better++;
    return better === reported.length;
  }
}

function byPrice(levels: RawSnapshot['bids']): Map<number, string> {
  return new Map(levels.map(([price, quantity]) => [Number(price), quantity]));
}

function levelsOf(side: ReadonlyMap<number, string>): [price: string, quantity: string][] {
  return [...side].map(([price, quantity]) => [String(price), quantity]);
}

function change(side: Map<number, string>, levels: RawDiff['b']): void {
  for (const [price, quantity] of levels) {
    if (Number(quantity) === 0) side.delete(Number(price));
    else side.set(Number(price), quantity);
  }
}

interface RawDiff {
  readonly T: number;
  readonly U: number;
  readonly u: number;
  readonly pu: number;
  readonly b: readonly (readonly [price: string, quantity: string])[];
  readonly a: readonly (readonly [price: string, quantity: string])[];
}

interface RawTrade {
  readonly t: number;
  readonly T: number;
}

interface RawSnapshot {
  readonly lastUpdateId: number;
  readonly bids: readonly (readonly [price: string, quantity: string])[];
  readonly asks: readonly (readonly [price: string, quantity: string])[];
}

export interface RecordedMessage {
  readonly receivedMs: number;
  readonly text: string;
  readonly diff?: RawDiff;
  readonly trade?: RawTrade;
}

export interface RecordedMarket {
  readonly name: string;
  readonly market: BinanceMarket;
  readonly instrument: PlayedInstrument;
  readonly snapshot: RawSnapshot;
  /** Diffs and trades in receive order, from the first diff that the snapshot needs. */
  readonly messages: readonly RecordedMessage[];
}

/** Reads a recording's files in order. @throws Error if they hold no snapshot */
export async function readMarket(
  name: string,
  market: BinanceMarket,
  instrument: PlayedInstrument,
  files: readonly string[],
): Promise<RecordedMarket> {
  const messages: RecordedMessage[] = [];
  let snapshot: RawSnapshot | undefined;
  for (const file of files) {
    for await (const lines of recordingLineBatches(createReadStream(file).pipe(createGunzip()))) {
      for (const line of lines) {
        const read = readRecordingLine(line);
        if (read === undefined) continue;
        const text = read.text.slice(read.messageStart);
        if (text.startsWith('{"lastUpdateId"')) snapshot = JSON.parse(text) as RawSnapshot;
        else if (text.includes('@depth@'))
          messages.push({ receivedMs: read.receivedMs, text, diff: (JSON.parse(text) as { data: RawDiff }).data });
        else if (text.includes('@trade"'))
          messages.push({ receivedMs: read.receivedMs, text, trade: (JSON.parse(text) as { data: RawTrade }).data });
      }
    }
  }
  if (snapshot === undefined) throw new Error(`${name} has no snapshot`);
  const { lastUpdateId } = snapshot;
  const first = messages.findIndex(({ diff }) => diff !== undefined && diff.u >= lastUpdateId);
  return { name, market, instrument, snapshot, messages: messages.slice(first) };
}
