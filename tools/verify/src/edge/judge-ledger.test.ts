import { type LostCall, tooManyLost } from './judge-ledger';

const death = (atMs: number, gateway = 0) => ({ gateway, life: 0, atMs, isCalm: false });
const lostAt = (total: number, lostMs: number, gateway = 0): LostCall[] =>
  Array.from({ length: total }, (_call, index) => ({ requestId: `${gateway} ${lostMs} ${index}`, gateway, sentMs: lostMs - 5, lostMs }));

test('as many calls may have no answer at a death as were under way', () => {
  expect(tooManyLost(lostAt(24, 1_002), [death(1_000)])).toEqual([]);
  expect(tooManyLost(lostAt(25, 1_002), [death(1_000)])).toEqual(['25 calls had no answer when a gateway was killed.']);
});

test('as many may have none that were sent on connections whose end was not known yet', () => {
  expect(tooManyLost([...lostAt(24, 1_002), ...lostAt(24, 1_010)], [death(1_000)])).toEqual([]);
  expect(tooManyLost([...lostAt(24, 1_002), ...lostAt(25, 1_010)], [death(1_000)])).toEqual([
    '25 calls had no answer that were sent after a gateway was killed.',
  ]);
});

test('a call counts at one death alone, of a gateway that dies again at the second', () => {
  expect(tooManyLost([...lostAt(20, 1_002), ...lostAt(20, 3_002)], [death(1_000), death(3_000)])).toEqual([]);
  expect(tooManyLost([...lostAt(20, 1_002), ...lostAt(25, 3_002)], [death(1_000), death(3_000)])).toEqual([
    '25 calls had no answer when a gateway was killed.',
  ]);
  expect(tooManyLost([...lostAt(20, 1_002), ...lostAt(20, 3_002, 1)], [death(1_000), death(3_000, 1)])).toEqual([]);
});
