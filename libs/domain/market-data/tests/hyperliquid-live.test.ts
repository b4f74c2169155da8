import fc from 'fast-check';
import { spliced } from '../src/hyperliquid/pushed-book';
import type { WholeBook } from '../src/hyperliquid/parse-frame';
import { bestFrame, bookAnswer, bookFrame, candleFrame, ladder, liveCoin, START_MS, tradeRow, tradesFrame } from './live-normalizer';

const [BIDS, ASKS] = [ladder(100, -1, 20), ladder(101, 1, 20)];
const whole = (atMs: number, bids = BIDS, asks = ASKS): string => bookFrame(atMs, bids, asks);

describe('books at two paces', () => {
  it('a fast push is believed where it speaks; behind it stand the levels of the last whole book', () => {
    const coin = liveCoin();
    coin.receive(10, bookFrame(0, ladder(100, -1, 20), ladder(101, 1, 20)));
    coin.receive(260, bookFrame(250, [[100, 7], 98, 97], [102, 103, 104]));
    const [, fast] = coin.logged();
    expect(fast).toBe(`book 250 # 100x7 98 97 ${ladder(96, -1, 16).join(' ')} | ${ladder(102, 1, 19).join(' ')}`);
  });

  it('a push that left the whole book behind is used by itself: the levels in between are unknown', () => {
    const coin = liveCoin();
    coin.receive(10, whole(0));
    coin.receive(260, bookFrame(250, [110, 109], [111, 112]));
    expect(coin.logged()[1]).toBe('book 250 # 110 109 | 111 112');
  });

  it('a whole book older than 5.5 s says nothing of now', () => {
    const coin = liveCoin();
    coin.receive(10, whole(0));
    for (let atMs = 500; atMs <= 5_500; atMs += 500) coin.receive(atMs + 10, bookFrame(atMs, [100, 99], [101, 102]));
    expect(coin.logged().at(-1)).toContain(' 81 |');
    coin.receive(5_760, bookFrame(5_750, [100, 99], [101, 102]));
    expect(coin.logged()).toEqual(['book 5750 # 100 99 | 101 102']);
  });

  it('a whole book of the same time comes behind the fast one, under an id of its own, unless it says the same', () => {
    const coin = liveCoin();
    coin.receive(10, bookFrame(0, [100, 99], [101, 102]), whole(0), whole(0));
    expect(coin.logged().map((line) => line.slice(0, 14))).toEqual(['book 0 # 100 9', 'book 0 #-whole']);
    coin.receive(510, bookFrame(500, [100, 99], [101, 102]), whole(500));
    expect(coin.logged()).toHaveLength(1);
    coin.receive(1_010, whole(1_000), bookFrame(1_000, [100, 99], [101, 102]));
    expect(coin.logged()).toHaveLength(1);
    expect(coin.counts()).toEqual({ duplicate: 1 });
  });

  it('a whole book that comes after a newer fast one is not published, and is what later fast ones stand on', () => {
    const coin = liveCoin();
    coin.receive(10, bookFrame(300, [100, 99], [101, 102]), whole(0));
    coin.receive(600, bookFrame(550, [[100, 2], 99], [101, 102]));
    expect(coin.logged()).toEqual(['book 300 # 100 99 | 101 102', `book 550 # 100x2 ${ladder(99, -1, 19).join(' ')} | ${ASKS.join(' ')}`]);
    coin.receive(700, bookFrame(100, [90], [91]));
    expect(coin.logged()).toEqual([]);
    expect(coin.counts()).toEqual({ stale_snapshot: 1 });
  });

  const level = fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 9 }));
  const side = (away: 1 | -1) =>
    fc
      .uniqueArray(level, { minLength: 1, maxLength: 20, selector: ([price]) => price })
      .map((levels) => levels.sort(([a], [b]) => (a - b) * away).map(([price, size]) => ({ price: String(price), size: String(size) })));
  const book = fc.tuple(fc.integer({ min: 0, max: 6_000 }), side(-1), side(1)).map(
    ([timeMs, bids, asks]): WholeBook => ({
      type: 'book',
      timeMs,
      bids,
      asks: asks.map(({ price, size }) => ({ price: String(Number(price) + Number(bids[0]?.price)), size })),
    }),
  );

  it('spliced books are sorted, never crossed, have the push as it is, and no level of the older book inside its reach', () => {
    const seed = Number(process.env['SPLICE_SEED'] ?? 20_260_121);
    fc.assert(
      fc.property(book, book, (push, older) => {
        const { bids, asks, timeMs } = spliced({ ...push, timeMs: push.timeMs + 6_000 }, { ...older, timeMs: older.timeMs + 3_000 });
        expect(timeMs).toBe(push.timeMs + 6_000);
        for (const [levels, own, away] of [
          [bids, push.bids, -1],
          [asks, push.asks, 1],
        ] as const) {
          expect(levels.slice(0, own.length)).toEqual(own);
          expect(levels.every(({ price }, index) => index === 0 || (Number(price) - Number(levels[index - 1]?.price)) * away > 0)).toBe(
            true,
          );
        }
        expect(Number(bids[0]?.price)).toBeLessThan(Number(asks[0]?.price));
      }),
      { seed, numRuns: 500 },
    );
  });
});

describe('crossed books', () => {
  it('are never published; after 1 s a gap, a request, and the next good push ends it', () => {
    const coin = liveCoin();
    coin.receive(10, whole(0));
    coin.receive(510, bookFrame(500, [102], [101]));
    coin.receive(1_010, bookFrame(1_000, [102], [101]));
    expect(coin.logged()).toHaveLength(1);
    expect(coin.normalizer.needsSnapshot).toBe(false);
    coin.receive(1_510, bookFrame(1_500, [102], [101]));
    expect(coin.logged()).toEqual(['gap book 0..open sequence_gap']);
    expect(coin.normalizer.needsSnapshot).toBe(true);
    coin.receive(1_700, bookAnswer(1_650, BIDS, ASKS));
    expect(coin.logged().map((line) => line.slice(0, 21))).toEqual(['resynced book 0..1650', 'book 1650 # 100 99 98']);
    expect(coin.normalizer.needsSnapshot).toBe(false);
    expect(coin.counts()).toEqual({ crossed_book: 3 });
  });

  it('bid = ask is a book', () => {
    const coin = liveCoin();
    coin.receive(10, bookFrame(0, [101], [101]));
    expect(coin.logged()).toEqual(['book 0 # 101 | 101']);
  });
});

describe('missing pushes of a live connection', () => {
  it('best prices that contradict the book for 3 s make a gap, which the answer to a request ends', () => {
    const coin = liveCoin();
    coin.receive(10, whole(0));
    coin.receive(500, bestFrame(490, 103, 104));
    coin.receive(3_400, bestFrame(3_390, 103, 104));
    expect(coin.normalizer.needsSnapshot).toBe(true);
    coin.receive(3_510);
    coin.receive(3_600, bookAnswer(3_550, [103, 102], [104, 105]));
    expect(coin.logged().slice(1)).toEqual(['gap book 0..open sequence_gap', 'resynced book 0..3550', 'book 3550 # 103 102 | 104 105']);
  });

  it('best prices that say what the book says are no reason to doubt it', () => {
    const coin = liveCoin();
    coin.receive(10, whole(0));
    for (let atMs = 500; atMs <= 5_000; atMs += 500) coin.receive(atMs, bestFrame(atMs - 10, 100, 101));
    expect(coin.logged()).toHaveLength(1);
  });

  it('5.5 s without a push ask for one; a book that is another then is a gap, the same book is none', () => {
    for (const [bids, expected] of [
      [BIDS, []],
      [
        [...BIDS.slice(0, -1), 50],
        ['gap book 0..open sequence_gap', 'resynced book 0..6000'],
      ],
    ] as const) {
      const coin = liveCoin();
      coin.receive(10, whole(0));
      for (let atMs = 500; atMs <= 5_500; atMs += 500) coin.receive(atMs, candleFrame(0, 0));
      expect(coin.normalizer.needsSnapshot).toBe(false);
      coin.receive(5_750, candleFrame(0, 0));
      expect(coin.normalizer.needsSnapshot).toBe(true);
      coin.receive(6_010, bookAnswer(6_000, bids, ASKS), '[]');
      expect(coin.logged().slice(1, -1)).toEqual(expected);
      expect(coin.normalizer.needsSnapshot).toBe(false);
    }
  });

  it('books that were let go because the reader was slow are a gap of that reason', () => {
    const coin = liveCoin();
    coin.normalizer.overflowed();
    coin.receive(10, whole(0));
    coin.normalizer.overflowed();
    coin.receive(510, whole(500, BIDS.slice(1)));
    expect(coin.logged().map((line) => line.slice(0, 20))).toEqual([
      'book 0 # 100 99 98 9',
      'gap book 0..open ove',
      'resynced book 0..500',
      'book 500 # 99 98 97 ',
    ]);
  });

  it('2 s without any push ask for the trades that may have been missed, until pushes come again, and then once more', () => {
    const coin = liveCoin();
    coin.receive(10, whole(0));
    coin.receive(2_000);
    expect(coin.normalizer.needsSnapshot).toBe(false);
    coin.receive(2_500);
    expect(coin.normalizer.needsSnapshot).toBe(true);
    coin.receive(2_600, JSON.stringify([tradeRow(2_000, 5)]), bookAnswer(2_590, BIDS, ASKS));
    expect(coin.normalizer.needsSnapshot).toBe(false);
    coin.receive(2_750);
    expect(coin.normalizer.needsSnapshot).toBe(true);
    coin.receive(2_760, '[]', whole(2_755));
    expect(coin.normalizer.needsSnapshot).toBe(true);
    coin.receive(2_800, '[]');
    expect(coin.normalizer.needsSnapshot).toBe(false);
  });

  it('recent trades none of which is known leave a gap before them; one that is known leaves none', () => {
    for (const [ids, expected] of [
      [[7, 8], ['gap trade 1000..2000 sequence_gap']],
      [[6, 7], []],
    ] as const) {
      const coin = liveCoin();
      coin.receive(1_010, tradesFrame(tradeRow(1_000, 6)));
      coin.receive(3_500, JSON.stringify(ids.map((id) => tradeRow(id === 6 ? 1_000 : 1_993 + id, id))));
      expect(coin.logged().filter((line) => line.startsWith('gap'))).toEqual(expected);
    }
  });

  it('a recording says nothing of whether the feed was away', () => {
    const coin = liveCoin({ pass: 1 });
    coin.receive(10, whole(0));
    coin.receive(500, bestFrame(490, 103, 104));
    coin.receive(60_000, whole(59_990, BIDS.slice(1)));
    expect(coin.logged().map((line) => line.slice(0, 10))).toEqual(['book 0 # 1', 'book 59990']);
    expect(coin.normalizer.needsSnapshot).toBe(false);
  });
});

it('trades, payments and forced closes are logged once, even if received from several sources', () => {
  const coin = liveCoin({ channels: ['book', 'trade', 'context', 'liquidation'] });
  const payments = JSON.stringify([{ coin: 'BTC', fundingRate: '0.00001250', premium: '0', time: START_MS - 3_000 }]);
  const closes = JSON.stringify({
    channel: 'simLiquidations',
    data: [{ coin: 'BTC', id: 1, positionSide: 'long', px: '99.5', sz: '2.0', time: START_MS }],
  });
  coin.receive(
    100,
    tradesFrame(tradeRow(0, 1), tradeRow(1, 2)),
    JSON.stringify([tradeRow(1, 2), tradeRow(2, 3)]),
    payments,
    payments,
    closes,
    closes,
  );
  expect(coin.logged()).toEqual([
    'trade 0 #1',
    'trade 1 #2',
    'trade 2 #3',
    `context -3000 #funding-${START_MS - 3_000} 0.00001250`,
    'liquidation 0 #1 long 2 @ 99.5',
  ]);
  expect(coin.counts()).toEqual({ duplicate: 3 });
});

it('forced closes are no message of the venue itself', () => {
  const coin = liveCoin();
  coin.receive(100, '{"channel":"simLiquidations","data":[]}');
  expect(coin.counts()).toEqual({ unknown_message: 1 });
});

it.each([
  ['broken JSON', '{"channel":"l2Book"', 'broken_json'],
  ['a word', 'hello', 'broken_json'],
  ['a number', '5', 'broken_json'],
  ['an unknown channel', '{"channel":"l3Book","data":{"coin":"BTC"}}', 'unknown_message'],
  ['a list of nothing known', '[{"a":1}]', 'unknown_message'],
  ['NaN as a price', bookFrame(0, [100], [101]).replace('"100.0"', '"NaN"'), 'bad_price'],
  ['Infinity as a size', bookFrame(0, [100], [101]).replace('"1.0"', '"Infinity"'), 'bad_size'],
  ['a negative price', bookFrame(0, [100], [101]).replace('"100.0"', '"-100"'), 'bad_price'],
  ['a price of zero', bookFrame(0, [100], [101]).replace('"100.0"', '"0.0"'), 'bad_price'],
  ['best prices without a size', '{"channel":"bbo","data":{"coin":"BTC","time":1700000040000,"bbo":[{"px":"1"},null]}}', 'bad_size'],
  ['a candle without a count', '{"channel":"candle","data":{"t":1,"T":2,"s":"BTC","i":"1m"}}', 'unknown_message'],
  ['a payment without a rate', '[{"coin":"BTC","fundingRate":"x","time":1700000040000}]', 'bad_size'],
  ['a book 6 s ahead', bookFrame(6_100, [100], [101]), 'future_time'],
  ['a trade of the day before yesterday', tradesFrame(tradeRow(-86_401_000, 1)), 'old_time'],
  ['a frame over 1 MiB', `{"channel":"trades","data":"${'x'.repeat(1_048_577)}"}`, 'oversized_frame'],
])('%s is quarantined by its reason, and what follows is taken', (_, text, reason) => {
  const coin = liveCoin();
  coin.receive(0, text, whole(0));
  expect(coin.counts()).toEqual({ [reason]: 1 });
  expect(coin.logged()).toHaveLength(1);
});
