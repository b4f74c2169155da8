import { divideDecimals, instrumentOf, multiplyDecimals, type BookEvent, type BookLevel, type PlacedEvent } from '../src/index';
import { NaiveBook, type RawDiff, type RawRecording } from './oracle';
import { rawRecording, recordedPass } from './recording';

/** Last diff of every 250 ms bucket. A diff after a diff or trade of a later bucket counts in that later one. */
function lastOfBuckets({ messages, snapshot }: RawRecording): RawDiff[] {
  const samples = new Map<number, RawDiff>();
  let latest = 0;
  for (const message of messages) {
    if (message.e === 'bookTicker') continue;
    latest = Math.max(latest, Math.floor(message.T / 250));
    if (message.e === 'depthUpdate' && message.u >= snapshot.lastUpdateId) samples.set(latest, message);
  }
  return [...samples.values()];
}

function expectedLevels(naive: NaiveBook, side: 'bids' | 'asks', contractValue: string): BookLevel[] {
  return naive
    .levels(side)
    .slice(0, 25)
    .map(([price, contracts]) => ({
      price: String(price),
      size: divideDecimals(multiplyDecimals(String(contracts), contractValue), String(price), 12),
      venueSize: String(contracts),
    }));
}

function inText(levels: readonly BookLevel[] = []): string {
  return `${levels.map(({ price, venueSize }) => [Number(price), Number(venueSize)])}`;
}

function isBook(entry: PlacedEvent): entry is PlacedEvent & { event: BookEvent } {
  return entry.event.kind === 'book';
}

describe.each(['BTCUSD-PERP', 'ETHUSD-PERP'])('book events of the %s recording', (symbol) => {
  const { contractValue } = instrumentOf(symbol);
  let raw: RawRecording;
  let books: readonly (PlacedEvent & { event: BookEvent })[];
  beforeAll(() => {
    raw = rawRecording(symbol);
    books = recordedPass(symbol).filter(isBook);
  });

  it('are one for each 250 ms bucket in which the book changed, stamped with its last change', () => {
    const facts = books.map(({ event }) => [event.venueId, event.exchangeTsMs]);
    expect(facts).toEqual(lastOfBuckets(raw).map(({ u, T }) => [String(u), T]));
    expect(books.length).toBeGreaterThan(2_500);
  });

  it('hold the 25 best levels as they stood at the end of the bucket, and the deep book behind them', () => {
    const naive = new NaiveBook(raw.snapshot);
    let index = 0;
    for (const diff of raw.diffs) {
      if (diff.u < raw.snapshot.lastUpdateId) continue;
      naive.apply(diff);
      const entry = books[index];
      if (entry === undefined || String(diff.u) !== entry.event.venueId) continue;
      index++;
      if (index % 250 !== 0) continue;
      expect(entry.event.bids).toEqual(expectedLevels(naive, 'bids', contractValue));
      expect(entry.event.asks).toEqual(expectedLevels(naive, 'asks', contractValue));
      const deep = entry.deepBook?.levels(1_000);
      expect(inText(deep?.bids)).toBe(`${naive.covered('bids').slice(0, 1_000)}`);
      expect(inText(deep?.asks)).toBe(`${naive.covered('asks').slice(0, 1_000)}`);
      expect(entry.deepBook?.levels(25)).toEqual({ bids: entry.event.bids, asks: entry.event.asks });
    }
    expect(index).toBe(books.length);
  });
});
