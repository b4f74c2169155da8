import { addOrder, type PlacedOrder, readOrders, waitingOrders } from './placed-orders';

const order = (id: string): PlacedOrder => ({
  order_id: id,
  plan_id: 'topup',
  billing_interval: null,
  amount_cents: 3_900,
  created_utc: '2026-11-30T00:00:00.000Z',
});

test('an order stays listed until an invoice names it', () => {
  expect(waitingOrders([order('b'), order('a')], [{ order_id: 'a' }])).toEqual([order('b')]);
});

test('orders are kept by tenant, newest first, each once; without storage nothing fails', () => {
  const stored = new Map<string, string>();
  const storage = { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, text: string) => void stored.set(key, text) };
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
  try {
    for (const id of ['a', 'b', 'a']) addOrder('ten_one', order(id));
    expect([readOrders('ten_one').map(({ order_id: id }) => id), readOrders('ten_two')]).toEqual([['a', 'b'], []]);
    Object.defineProperty(globalThis, 'localStorage', { value: undefined, configurable: true });
    addOrder('ten_one', order('c'));
    expect(readOrders('ten_one')).toEqual([]);
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'localStorage');
    else Object.defineProperty(globalThis, 'localStorage', before);
  }
});
