import { daysOf, spendLines, sumOf } from './spend-by-day';

const days = daysOf('2026-11-23T17:00:00.000Z', '2026-11-25T17:00:00.000Z');
const row = {
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
  row,
  { ...row, day: '2026-11-25', key_id: null, account_id: 'acc_1', market_state_credits: 7 },
  { ...row, workload_family: 'export_job', key_id: null, calls: 1, market_state_credits: 0, export_credits: 3 },
] as const;
const keyNames = new Map([['key_1', 'agent']]);

test('a window has each of its days UTC, the first and the last in part', () => {
  expect(days).toEqual(['2026-11-23', '2026-11-24', '2026-11-25']);
});

test('spend is grouped by family or by who spent, the most first, and its lines add up', () => {
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
