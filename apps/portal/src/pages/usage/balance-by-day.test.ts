import { balanceLines } from './balance-by-day';

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

test('a line has what was there, what moved it, and what each day left, with what is set aside', () => {
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
