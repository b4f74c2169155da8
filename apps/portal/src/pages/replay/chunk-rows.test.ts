import type { Schemas } from '@market-state/client';
import { collectRows, NO_ROWS } from './chunk-rows';

const row = (fields: object) => ({ row: fields }) as unknown as Schemas['DataRow'];

test('rows are kept by what they are, in the order of exchange time, after those that were read before', () => {
  const collected = collectRows({ ...NO_ROWS, digests: ['a'] });
  const levels = Array.from({ length: 25 }, (_each, at) => [String(at), '1']);
  collected.add(row({ kind: 'book', exchange_ts_ms: 20, bids: levels, asks: levels }));
  collected.add(row({ kind: 'trade', exchange_ts_ms: 15, venue_id: 'x', aggressor_side: 'sell', price: '1', size: '2' }));
  collected.add(row({ kind: 'book', exchange_ts_ms: 10, bids: [], asks: levels }));
  collected.add(row({ kind: 'tick', exchange_ts_ms: 11 }));
  collected.add({ packet: {}, packet_digest: 'b' } as unknown as Schemas['DataRow']);
  const { books, trades, digests } = collected.rows();
  expect(books.map(({ timeMs, bids, asks }) => [timeMs, bids.length, asks.length])).toEqual([
    [10, 0, 10],
    [20, 10, 10],
  ]);
  expect(trades).toEqual([{ id: 'x', timeMs: 15, side: 'sell', price: '1', size: '2' }]);
  expect(digests).toEqual(['a', 'b']);
});
