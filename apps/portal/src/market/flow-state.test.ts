import type { Schemas } from '@market-state/client';
import { NO_FLOW, tapeBalance, withRow } from './flow-state';

const row = (fields: object) => ({ channel: 'trades', row: fields }) as unknown as Schemas['DataRow'];
const trade = (id: string, timeMs: number, side: string, size: string) =>
  row({ kind: 'trade', venue_id: id, exchange_ts_ms: timeMs, aggressor_side: side, price: '100', size });

test('the newest book stands, each trade is taped once, newest first, and other rows change nothing', () => {
  let state = withRow(NO_FLOW, row({ kind: 'book', exchange_ts_ms: 5, bids: [['1', '2']], asks: [['3', '4']] }));
  for (const next of [trade('a', 1, 'buy', '1'), trade('b', 2, 'sell', '2'), trade('a', 1, 'buy', '1'), row({ kind: 'tick' })])
    state = withRow(state, next);
  expect([state.bids, state.bookMs, state.trades.map(({ id }) => id)]).toEqual([[['1', '2']], 5, ['b', 'a']]);
});

test('sides are added up over the newest minute', () => {
  let state = NO_FLOW;
  for (const next of [trade('old', 1_000, 'buy', '100'), trade('a', 62_000, 'buy', '1.5'), trade('b', 70_000, 'sell', '2')])
    state = withRow(state, next);
  expect(tapeBalance(state.trades)).toEqual({ buys: 1.5, sells: 2, spanMs: 60_000 });
});

test('a busy minute is kept whole, and a tape that does not reach back a minute says how far it does', () => {
  let state = NO_FLOW;
  for (let at = 0; at < 1_000; at += 1) state = withRow(state, trade(`t${at}`, at * 100, 'buy', '1'));
  expect(state.trades).toHaveLength(600);
  expect(tapeBalance(state.trades)).toMatchObject({ buys: 600, spanMs: 59_900 });
  expect(tapeBalance(state.trades.slice(0, 101))).toEqual({ buys: 101, sells: 0, spanMs: 10_000 });
});
