import { orderFaults, orderOf, orderParams, readOrder, withOrder } from './order';

const OPENED_MS = Date.parse('2026-11-25T12:00:00.000Z');

test('an address without an order means the packets of the last 24 hours', () => {
  expect(readOrder(new URLSearchParams(), OPENED_MS)).toMatchObject({
    dataset: 'packets',
    symbols: [],
    fromMs: OPENED_MS - 86_400_000,
    toMs: OPENED_MS,
    format: 'parquet',
    compression: 'zstd',
  });
});

test('an order survives a round trip, without the fields of other datasets', () => {
  const order = {
    ...readOrder(new URLSearchParams(), OPENED_MS),
    dataset: 'candles',
    symbols: ['BTCUSD-PERP'],
    tf: '1h',
    depth: '5',
  } as const;
  const address = withOrder(new URLSearchParams('job=exp_1&depth=3'), order);
  expect(readOrder(address, 0)).toEqual({ ...order, depth: '' });
  expect(address.get('job')).toBe('exp_1');
  expect(orderParams(order)).toMatchObject({ tf: '1h' });
  expect(orderParams(order)).not.toHaveProperty('depth');
});

test('selecting all columns sends none, selecting some sends their names', () => {
  const form = new FormData();
  for (const name of ['symbol', 'price']) form.append('columns', name);
  expect(orderOf(form, 2).columns).toEqual([]);
  expect(orderParams({ ...readOrder(new URLSearchParams(), OPENED_MS), columns: orderOf(form, 3).columns }).columns).toEqual([
    'symbol',
    'price',
  ]);
});

test('orders without a symbol, a time or a length show the fault at its field', () => {
  const faultsOf = (from: string, to: string, ...symbols: readonly string[]) => {
    const form = new FormData();
    form.set('from', from);
    form.set('to', to);
    for (const symbol of symbols) form.append('symbols', symbol);
    return [...orderFaults(form).keys()];
  };
  expect(faultsOf('2026-11-25 10:00', '2026-11-25 11:00', 'BTCUSD-PERP')).toEqual([]);
  expect(faultsOf('', '2026-11-25', 'BTCUSD-PERP')).toEqual(['from', 'to']);
  expect(faultsOf('2026-11-25 10:00', '2026-11-25 10:00')).toEqual(['symbols', 'to']);
});
