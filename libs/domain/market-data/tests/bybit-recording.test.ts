import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { withRecordings } from './with-recordings';
import { type BookEvent, instrumentRows, LivePlayer, type MarketEvent } from '../src/index';
import { countKinds, playFiles } from './open-files';

interface RawFrame {
  readonly topic?: string;
  readonly type: 'snapshot' | 'delta';
  readonly cts: number;
  readonly cs?: number;
  readonly data: { b: [string, string][]; a: [string, string][]; u: number } & Record<string, string>;
}

withRecordings('bybit', (folder) => {
  const path = join(folder, 'BYBIT.linear.BTCUSDT-DOGEUSDT.jsonl.gz');

  function framesOf(topic: string): RawFrame[] {
    const records = gunzipSync(readFileSync(path))
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { t: string; data: string });
    return records.flatMap(({ t, data }) => (t === 'recv' ? [JSON.parse(data) as RawFrame] : [])).filter((frame) => frame.topic === topic);
  }

  it.each([
    ['BTCUSDT', 414, 185, 56, 79],
    ['DOGEUSDT', 380, 164, 83, 27],
  ])(
    '%s: as many frames as its page says, update ids without a gap, every message taken',
    async (name, books, tickers, trades, contexts) => {
      const frames = framesOf(`orderbook.200.${name}`);
      expect(frames).toHaveLength(books);
      expect(frames.every(({ data }, index) => data.u === (frames[0]?.data.u ?? 0) + index)).toBe(true);
      expect(framesOf(`tickers.${name}`)).toHaveLength(tickers);
      const { recording, events, rejections } = await playFiles([path], name.replace('USDT', 'USD-PERP'));
      expect(recording.tally.lines).toBe(1_237);
      expect(rejections).toEqual({});
      expect(countKinds(events)).toMatchObject({ feed_status: 1, trade: trades, context: contexts, tick: 174 });
      expect(events[0]).toMatchObject({ status: { channels: ['book', 'trade', 'context', 'liquidation'] } });
    },
  );

  it.each(['BTCUSDT', 'DOGEUSDT'])('%s: every book is the naive rebuild at its update id, and is never crossed', async (name) => {
    const { events } = await playFiles([path], name.replace('USDT', 'USD-PERP'));
    const books = new Map(events.filter((event): event is BookEvent => event.kind === 'book').map((book) => [book.venueId, book]));
    const sides = { b: new Map<string, string>(), a: new Map<string, string>() };
    let compared = 0;
    for (const { type, cts, data } of framesOf(`orderbook.200.${name}`)) {
      for (const side of ['b', 'a'] as const) {
        if (type === 'snapshot') sides[side].clear();
        for (const [price, size] of data[side])
          if (size === '0') sides[side].delete(price);
          else sides[side].set(price, size);
      }
      const book = books.get(String(data.u));
      if (book === undefined) continue;
      const best = (side: Map<string, string>, sign: number): number[][] =>
        [...side]
          .map((level) => level.map(Number))
          .sort(([x = 0], [y = 0]) => sign * (x - y))
          .slice(0, 25);
      expect(book.exchangeTsMs).toBe(cts);
      expect(book.bids.map(({ price, size }) => [Number(price), Number(size)])).toEqual(best(sides.b, -1));
      expect(book.asks.map(({ price, size }) => [Number(price), Number(size)])).toEqual(best(sides.a, 1));
      compared++;
    }
    expect(compared).toBe(books.size);
    expect(compared).toBeGreaterThan(165);
  });

  it.each(['BTCUSDT', 'DOGEUSDT'])(
    '%s: funding, open interest, mark, index and turnover of every ticker come out as sent, to the last digit',
    async (name) => {
      const { events } = await playFiles([path], name.replace('USDT', 'USD-PERP'));
      const contexts = events.filter((event) => event.kind === 'context');
      let sent: Record<string, string> = {};
      const expected = framesOf(`tickers.${name}`).flatMap(({ type, data, cs }) => {
        sent = type === 'snapshot' ? data : { ...sent, ...data };
        if (!['fundingRate', 'openInterest', 'markPrice', 'indexPrice', 'turnover24h'].some((field) => field in data)) return [];
        const { fundingRate, fundingIntervalHour, openInterest, markPrice, indexPrice, turnover24h } = sent;
        return [[String(cs), fundingRate, Number(fundingIntervalHour), openInterest, markPrice, indexPrice, turnover24h]];
      });
      const reported = contexts.map((event) => [
        event.venueId,
        event.venueFundingRate,
        event.fundingIntervalHours,
        event.openInterest,
        event.markPrice,
        event.oraclePrice,
        event.dayVolume,
      ]);
      expect(reported).toEqual(expected);
      expect(new Set(contexts.map(({ openInterest }) => openInterest)).size).toBeGreaterThan(1);
      expect(contexts.every(({ fundingRate, venueFundingRate }) => Number(fundingRate) === Number(venueFundingRate) / 8)).toBe(true);
    },
  );

  it.each(['BTCUSDT', 'DOGEUSDT'])(
    '%s: the live adapter makes the same books, trades and contexts of the recorded frames',
    async (name) => {
      const records = gunzipSync(readFileSync(path))
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { t: string; ts: number; data: string });
      const frames = records.filter(({ t, data }) => t === 'recv' && data.includes(`.${name}"`));
      const row = instrumentRows.find((each) => each.feed === 'bybit' && each.venueInstrument === name);
      const startMs = Math.floor((frames[0]?.ts ?? 0) * 1_000);
      if (row === undefined) throw new Error(`no row of ${name}`);
      const player = new LivePlayer(row, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: startMs });
      player.connected(startMs);
      for (const { ts, data } of frames) player.accept(Math.floor(ts * 1_000), `${Math.floor(ts * 1_000)}000000 ${data}`);
      const contentOf = (events: readonly MarketEvent[]): readonly object[] =>
        events.flatMap((event) =>
          event.kind === 'tick' || event.kind === 'feed_status' ? [] : [{ ...event, ordinal: 0, pass: 0, receivedTsMs: 0 }],
        );
      const { events } = await playFiles([path], name.replace('USDT', 'USD-PERP'));
      const live = contentOf(player.take().map(({ event }) => event));
      expect(live.length).toBeGreaterThan(200);
      // The recording ends with its waiting book; a live connection has not ended.
      expect(live).toEqual(contentOf(events).slice(0, live.length));
      expect(Object.values(player.rejections).every((total) => total === 0)).toBe(true);
      expect(player.needsSnapshot).toBe(false);
    },
  );
});
