import { ORDINARY, type MarketConditions, STEP_MS } from './conditions';
import { simulatedInstrument } from './instrument';
import { Market, decimalText, decimalWriter } from './market';
import type { BookMessage, MarketMessage, TradeMessage } from './message';

const START_MS = 1_767_571_200_000;

function play(minutes: number, changes: Partial<MarketConditions> = {}, seed = 9): MarketMessage[] {
  const conditions = { ...ORDINARY, ...changes };
  const market = new Market(simulatedInstrument('SIMUSD-PERP'), seed, conditions);
  return Array.from({ length: (minutes * 60_000) / STEP_MS }, (_, step) => market.step(START_MS + step * STEP_MS, conditions)).flat();
}

function booksOf(messages: readonly MarketMessage[]): BookMessage[] {
  return messages.filter((message) => message.kind === 'book');
}

function tradesOf(messages: readonly MarketMessage[]): TradeMessage[] {
  return messages.filter((message) => message.kind === 'trade');
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function midOf({ bids, asks }: BookMessage): number {
  return (Number(bids[0]?.price) + Number(asks[0]?.price)) / 2;
}

/** (buy − sell) / (buy + sell) size. */
function flowOf(trades: readonly TradeMessage[]): number {
  const signed = trades.map(({ size, aggressorSide }) => (aggressorSide === 'buy' ? 1 : -1) * Number(size));
  return signed.reduce((total, size) => total + size, 0) / trades.reduce((total, { size }) => total + Number(size), 0);
}

/** (bid − ask) / (bid + ask) size of the best five levels. */
function leanOf({ bids, asks }: BookMessage): number {
  const [bid, ask] = [bids, asks].map((side) => side.slice(0, 5).reduce((total, { size }) => total + Number(size), 0)) as [number, number];
  return (bid - ask) / (bid + ask);
}

describe('an ordinary market', () => {
  const messages = play(10);
  const books = booksOf(messages);
  const trades = tradesOf(messages);

  test('publishes a book a step, about five orders a second, and its context every three seconds', () => {
    expect(books).toHaveLength(2_400);
    expect(trades.length).toBeGreaterThan(2_400);
    expect(trades.length).toBeLessThan(4_000);
    expect(messages.filter(({ kind }) => kind === 'context')).toHaveLength(200);
    expect(messages.filter(({ kind }) => kind === 'liquidation')).toHaveLength(0);
  });

  test('has depth that rises away from the touch', () => {
    const depthAt = (place: number) => mean(books.map(({ bids, asks }) => Number(bids[place]?.size) + Number(asks[place]?.size)));
    const depths = [0, 2, 5, 10, 15, 20, 24].map(depthAt);
    expect(depths).toEqual([...depths].sort((a, b) => a - b));
  });

  test('changes its sizes step by step: most levels keep theirs from one book to the next', () => {
    const kept = books.slice(1).map(({ asks }, place) => {
      const before = new Map(books[place]?.asks.map(({ price, size }) => [price, size]));
      const both = asks.filter(({ price }) => before.has(price));
      return both.filter(({ price, size }) => before.get(price) === size).length / Math.max(1, both.length);
    });
    expect(mean(kept)).toBeGreaterThan(0.6);
  });

  test('has trades at the prices that rested, and sizes with a heavy tail', () => {
    let book: BookMessage | undefined;
    for (const message of messages) {
      if (message.kind === 'book') book = message;
      if (message.kind !== 'trade' || book === undefined) continue;
      const side = message.aggressorSide === 'buy' ? book.asks : book.bids;
      expect(side.some(({ price }) => price === message.price)).toBe(true);
    }
    const sizes = trades.map(({ size }) => Number(size));
    expect(Math.max(...sizes)).toBeGreaterThan(6 * mean(sizes));
  });

  test('comes back from passing noise: a minute moves less than six times ten seconds would', () => {
    const mids = books.filter((_, place) => place % 40 === 0).map(midOf);
    const squares = (steps: number) => mean(mids.slice(steps).map((mid, place) => (mid - (mids[place] ?? mid)) ** 2));
    expect(squares(6)).toBeLessThan(6 * squares(1));
  });
});

describe('conditions', () => {
  test('a skewed book leans by the skew', () => {
    expect(
      mean(
        booksOf(play(3, { depthSkew: 0.6 }))
          .slice(200)
          .map(leanOf),
      ),
    ).toBeCloseTo(0.6, 1);
    expect(
      mean(
        booksOf(play(3, { depthSkew: -0.6 }))
          .slice(200)
          .map(leanOf),
      ),
    ).toBeCloseTo(-0.6, 1);
  });

  test('skewed flow trades by the skew and moves price; without impact it does not', () => {
    const pushed = play(5, { flowSkew: 0.8, impact: 4, ordersPerSecond: 10, volatilityBps: 0 });
    const absorbed = play(5, { flowSkew: 0.8, impact: 0, ordersPerSecond: 10, volatilityBps: 0 });
    expect(flowOf(tradesOf(pushed))).toBeCloseTo(0.8, 1);
    const moved = (messages: readonly MarketMessage[]) => midOf(booksOf(messages).at(-1) as BookMessage) - 1_500;
    expect(moved(pushed)).toBeGreaterThan(5);
    expect(Math.abs(moved(absorbed))).toBeLessThan(0.5);
  });

  test('a wide, thin book is wide and thin', () => {
    const books = booksOf(play(3, { spreadTicks: 8, depth: 0.2 })).slice(200);
    expect(mean(books.map(({ bids, asks }) => Number(asks[0]?.price) - Number(bids[0]?.price)))).toBeCloseTo(0.8, 1);
    expect(mean(books.map(({ bids }) => Number(bids[10]?.size)))).toBeLessThan(10);
  });

  test('forced closes are reported with the trades that they are', () => {
    const messages = play(2, { liquidationsPerSecond: 1, liquidated: 'short' });
    const forced = messages.filter((message) => message.kind === 'liquidation');
    expect(forced.length).toBeGreaterThan(60);
    for (const { tsMs, positionSide } of forced) {
      expect(positionSide).toBe('short');
      expect(tradesOf(messages).some((trade) => trade.tsMs === tsMs && trade.aggressorSide === 'buy')).toBe(true);
    }
  });

  test('funding goes to its level and open interest grows at its rate', () => {
    const last = play(30, { fundingPerHour: 0.000_06, openInterestGrowthPerHour: 0.1 }).findLast((message) => message.kind === 'context');
    expect(Number(last?.fundingRate)).toBeCloseTo(0.000_06, 5);
    expect(Number(last?.openInterest) / 90_000).toBeCloseTo(1.05, 2);
  });

  test('a market that reopens starts over at its opening price', () => {
    const market = new Market(simulatedInstrument('SIMUSD-PERP'), 1, ORDINARY);
    for (let step = 0; step < 400; step++) market.step(START_MS + step * STEP_MS, { ...ORDINARY, driftBpsPerMinute: 50 });
    market.reopen(ORDINARY);
    const [book] = booksOf(market.step(START_MS + 100_000, ORDINARY));
    expect(midOf(book as BookMessage)).toBeCloseTo(1_500, 0);
  });
});

test('the fair price is drawn to its anchor and stays there, whichever way orders push it', () => {
  const mids = booksOf(play(10, { anchorBps: -40, flowSkew: 0.6 })).map(midOf);
  const offsets = mids.map((mid) => (mid / 1_500 - 1) * 10_000);
  expect(mean(offsets.slice(0, 4))).toBeGreaterThan(-5);
  for (const offset of offsets.slice(480)) expect(Math.abs(offset + 40)).toBeLessThan(10);
});

test.each([
  [15_000, 1, '1500'],
  [15_001, 1, '1500.1'],
  [1_250, 2, '12.5'],
  [7, 2, '0.07'],
  [0, 2, '0'],
  [-125_000, 10, '-0.0000125'],
  [42, 0, '42'],
])('%i units of 10^-%i are %s', (units, decimals, text) => {
  expect(decimalText(units, decimals)).toBe(text);
});

test('a writer says the same each time, beyond what it remembers too', () => {
  const write = decimalWriter(2);
  expect([write(150), write(150), write(6_553_600)]).toEqual(['1.5', '1.5', '65536']);
});
