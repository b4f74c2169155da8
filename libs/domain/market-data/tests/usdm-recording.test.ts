import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { withRecordings } from './with-recordings';
import { DiffBook } from '../src/binance/diff-book';
import { parseMessage } from '../src/binance/parse-message';
import { recordingLines, type BookEvent } from '../src/index';
import { normalizeDecimal } from '../src/decimal';
import { countKinds, playFiles, type PlayedRecording } from './open-files';
import { NaiveBook, readRaw, type RawDiff, type RawRecording } from './oracle';

withRecordings('binance-usdm', (folder) => {
  const path = join(folder, 'btcusdt_20240808.gz');
  let lines: readonly string[];
  let raw: RawRecording;
  let played: PlayedRecording;

  beforeAll(async () => {
    lines = [...recordingLines(gunzipSync(readFileSync(path)))];
    raw = readRaw(lines);
    played = await playFiles([path]);
  });

  it('holds as many messages of each kind as its page says, and every one is taken', () => {
    expect([raw.diffs.length, raw.trades.length, raw.tickers.length]).toEqual([6_551, 21_313, 66_089]);
    const { recording, events, rejections } = played;
    expect(recording.tally.lines).toBe(93_954);
    expect(rejections).toEqual({});
    expect(countKinds(events)).toEqual({ feed_status: 1, trade: 21_313, book: 1_378, tick: 1_379 });
  });

  it('has no gap in its diffs, and after every diff the top of the book is the last bookTicker up to its update id', () => {
    const { tickers } = raw;
    const book = new DiffBook();
    let tickerIndex = -1;
    let compared = 0;
    for (const line of lines) {
      const message = parseMessage(line, line.indexOf(' ') + 1, 'BTCUSDT', 'usdm');
      if (message.type === 'snapshot') expect(book.takeSnapshot(message)).toBe('taken');
      if (message.type !== 'depth') continue;
      const verdict = book.judge(message);
      if (verdict === 'gap') throw new Error(`a gap at update ${message.firstId}`);
      if (verdict !== 'next') continue;
      book.apply(message);
      while ((tickers[tickerIndex + 1]?.u ?? Infinity) <= book.lastId) tickerIndex++;
      const ticker = tickers[tickerIndex];
      const [bid, ask] = [book.bids.top(1), book.asks.top(1)];
      const top = [bid[0] ?? NaN, bid[1], -(ask[0] ?? NaN), ask[1]];
      if (ticker === undefined || top.join() !== [ticker.b, ticker.B, ticker.a, ticker.A].map(Number).join())
        throw new Error(`differs at update ${book.lastId}`);
      if (!(book.bids.bestPrice < book.asks.bestPrice)) throw new Error(`crossed at update ${book.lastId}`);
      compared++;
    }
    expect(compared).toBeGreaterThan(6_500);
  });

  it('gives books that a naive rebuild has at the same update id, sizes in bitcoin as sent', () => {
    const { events } = played;
    const books = new Map(events.filter((event): event is BookEvent => event.kind === 'book').map((book) => [book.venueId, book]));
    const naive = new NaiveBook(raw.snapshot);
    let compared = 0;
    for (const diff of raw.diffs) {
      if (diff.u < raw.snapshot.lastUpdateId) continue;
      naive.apply(withPlainZero(diff));
      const book = books.get(String(diff.u));
      if (book === undefined || compared++ % 10 !== 0) continue;
      expect(book.exchangeTsMs).toBe(diff.T);
      expect(book.bids.map(({ price, size }) => [Number(price), Number(size)])).toEqual(naive.levels('bids').slice(0, 25));
      expect(book.asks.map(({ price, size }) => [Number(price), Number(size)])).toEqual(naive.levels('asks').slice(0, 25));
    }
    expect(compared).toBeGreaterThan(1_370);
  });

  it('gives its trades with the sizes and sides that were sent', () => {
    const { events } = played;
    const trades = events.flatMap((event) =>
      event.kind === 'trade'
        ? [[event.venueId, event.exchangeTsMs, event.price, event.size, event.venueSize, event.aggressorSide].join()]
        : [],
    );
    expect(trades).toEqual(
      raw.trades.map(({ t, T, p, q, m }) => [t, T, normalizeDecimal(p), normalizeDecimal(q), undefined, m ? 'sell' : 'buy'].join()),
    );
  });
});

/** The naive book removes a level at "0"; this market writes it "0.000". */
function withPlainZero(diff: RawDiff): RawDiff {
  const plain = (changes: RawDiff['b']): [string, string][] =>
    changes.map(([price, quantity]) => [price, Number(quantity) === 0 ? '0' : quantity]);
  return { ...diff, b: plain(diff.b), a: plain(diff.a) };
}
