import type { Data, Schemas } from '@market-state/client';
import { NO_FLOW, tapeBalance, withAnswers, withRows, ladderSide, spreadBps } from './flow-state';

test('depth is cumulative from the best level, and prices stay as received', () => {
  expect(
    ladderSide(
      [
        ['100.10', '1.5'],
        ['100.00', '2'],
        ['99.90', '4'],
      ],
      2,
    ),
  ).toEqual([
    { price: '100.10', size: '1.5', cumulative: 1.5 },
    { price: '100.00', size: '2', cumulative: 3.5 },
  ]);
});

test('the spread is in basis points of the mid price, and null without both sides', () => {
  expect(spreadBps([['99.5', '1']], [['100.5', '1']])).toBeCloseTo(100);
  expect(spreadBps([], [['100.5', '1']])).toBeNull();
});

const row = (fields: object) => ({ channel: 'trades', row: fields }) as unknown as Schemas['DataRow'];
const trade = (id: string, timeMs: number, side: string, size: string) =>
  row({ kind: 'trade', venue_id: id, exchange_ts_ms: timeMs, aggressor_side: side, price: '100', size });

test('the newest book wins, each trade is taped once, newest first, and other rows are ignored', () => {
  const book = (timeMs: number) => row({ kind: 'book', exchange_ts_ms: timeMs, bids: [['1', '2']], asks: [['3', String(timeMs)]] });
  const again = trade('a', 1, 'buy', '1');
  let state = withRows(NO_FLOW, [book(4), again, book(5), trade('b', 2, 'sell', '2'), again]);
  state = withRows(state, [again, row({ kind: 'tick' }), trade('c', 3, 'sell', '2')]);
  expect([state.asks, state.bookMs, state.trades.map(({ id }) => id)]).toEqual([[['3', '5']], 5, ['c', 'b', 'a']]);
});

test('trades of the response follow those of the stream, each once', () => {
  const answered = (venue_id: string) => ({
    venue_id,
    pass: 1,
    price: '100',
    size: '1',
    aggressor_side: 'sell',
    exchange_time_utc: '1970-01-01',
  });
  const answer = { rows: [answered('b'), answered('a')] } as unknown as Data<'listLatestTrades'>;
  const state = withAnswers(withRows(NO_FLOW, [trade('b', 2, 'buy', '1')]), null, answer);
  expect(state.trades.map(({ id, side }) => [id, side])).toEqual([
    ['b', 'buy'],
    ['a', 'sell'],
  ]);
});

test('sides are added up over the newest minute', () => {
  const state = withRows(NO_FLOW, [trade('old', 1_000, 'buy', '100'), trade('a', 62_000, 'buy', '1.5'), trade('b', 70_000, 'sell', '2')]);
  expect(tapeBalance(state.trades)).toEqual({ buys: 1.5, sells: 2, spanMs: 60_000 });
});

test('a busy minute is kept in full, and a shorter tape reports its length', () => {
  const state = withRows(
    NO_FLOW,
    Array.from({ length: 1_000 }, (_none, at) => trade(`t${at}`, at * 100, 'buy', '1')),
  );
  expect(state.trades).toHaveLength(600);
  expect(tapeBalance(state.trades)).toMatchObject({ buys: 600, spanMs: 59_900 });
  expect(tapeBalance(state.trades.slice(0, 101))).toEqual({ buys: 101, sells: 0, spanMs: 10_000 });
});
