import { balanceLines, daysOf, spendLines, sumOf } from './credits-by-day';

const days = daysOf('2026-11-23T17:00:00.000Z', '2026-11-25T17:00:00.000Z');
const spendRow = {
  day: '2026-11-24',
  workload_family: 'latest_packet',
  method: 'GET',
  endpoint: '/latest',
  key_id: 'key_1',
  account_id: null,
  calls: 2,
  market_state_credits: 5,
  export_credits: 0,
} as const;
const rows = [
  spendRow,
  { ...spendRow, day: '2026-11-25', key_id: null, account_id: 'acc_1', market_state_credits: 7 },
  { ...spendRow, workload_family: 'export_job', key_id: null, calls: 1, market_state_credits: 0, export_credits: 3 },
] as const;
const keyNames = new Map([['key_1', 'agent']]);

test('a window lists all of its UTC days, including partial ones', () => {
  expect(days).toEqual(['2026-11-23', '2026-11-24', '2026-11-25']);
});

test('spend is grouped by family or caller, highest first, and lines add up', () => {
  const byFamily = spendLines(rows, { by: 'family', credit: 'market_state', days, keyNames });
  expect(byFamily).toEqual([{ id: 'latest_packet', name: 'latest packet', days: [0, 5, 7], total: 12, calls: 4 }]);
  const byKey = spendLines(rows, { by: 'key', credit: 'market_state', days, keyNames });
  expect(byKey.map(({ name, total }) => [name, total])).toEqual([
    ['in the browser', 7],
    ['agent', 5],
  ]);
  expect(sumOf(byKey, days)).toMatchObject({ days: [0, 5, 7], total: 12 });
  expect(spendLines(rows, { by: 'key', credit: 'export', days, keyNames })).toMatchObject([{ name: 'without a call', total: 3 }]);
});

const at = (credit_kind: 'market_state' | 'export', available: number, held = 0) =>
  ({ credit_kind, available, held, leased_to_gateways: 1 }) as const;
const row = (day: number, of: ReturnType<typeof at>, granted: number, charged: number, expired: number) => ({
  ...of,
  from_utc: `2026-11-0${day}T00:00:00.000Z`,
  to_utc: `2026-11-0${day + 1}T00:00:00.000Z`,
  closed: true,
  granted,
  charged,
  expired,
  returned: 0,
});

test('a line has the opening balance, movements and daily balances, including reservations', () => {
  const [line, ...others] = balanceLines({
    opening: [at('market_state', 9), { ...at('export', 0), leased_to_gateways: 0 }],
    rows: [row(1, at('market_state', 10, 3), 5, 1, 0), row(2, at('market_state', 4, 2), 0, 4, 3)],
  });
  expect(others).toEqual([]);
  expect(line).toMatchObject({ kind: 'market_state', atStart: 10, granted: 5, charged: 5, expired: 3 });
  expect(line?.days.map(({ day, left }) => [day, left])).toEqual([
    ['2026-11-01', 14],
    ['2026-11-02', 7],
  ]);
  expect((line?.atStart ?? 0) + 5 - 5 - 3).toBe(7);
});
