import { checkSymbol, instantOf, instantOption } from './values';

function faultsOf(from: string): string[] {
  const faults: string[] = [];
  instantOption({ from }, 'from', (fault) => faults.push(fault));
  return faults;
}

test('a day or an hour that is on no calendar or clock is refused before anything is sent', () => {
  expect(faultsOf('2024-02-29')).toEqual([]);
  for (const text of ['2026-02-30', '2026-04-31T10:00:00Z', '2026-01-01T24:00:00Z'])
    expect(faultsOf(text)).toEqual([
      `--from must be a UTC time such as 2024-08-08T23:55:00Z, epoch milliseconds, or relative, such as -1h or yesterday, not "${text}"`,
    ]);
});

const NOW_MS = Date.UTC(2026, 10, 30, 5, 20, 0, 250);

test.each([
  ['now', '2026-11-30T05:20:00.250Z'],
  ['-90s', '2026-11-30T05:18:30.250Z'],
  ['-30m', '2026-11-30T04:50:00.250Z'],
  ['-1h', '2026-11-30T04:20:00.250Z'],
  ['+30d', '2026-12-30T05:20:00.250Z'],
  ['-2w', '2026-11-16T05:20:00.250Z'],
  ['today', '2026-11-30T00:00:00.000Z'],
  ['yesterday', '2026-11-29T00:00:00.000Z'],
  ['tomorrow', '2026-12-01T00:00:00.000Z'],
])('%s is counted from now, days in UTC', (text, expected) => {
  expect(new Date(instantOf(text, NOW_MS)).toISOString()).toBe(expected);
});

test.each(['1h', '-1', '-1y', 'last week', '- 1h'])('%s is no relative time', (text) => {
  expect(faultsOf(text)).toHaveLength(1);
});

test('a symbol may name its venue', () => {
  const faults: string[] = [];
  for (const word of ['BTCUSD-PERP', 'BTCUSD-PERP@okx', 'BTCUSD-PERP@binance-coinm']) checkSymbol(word, (fault) => faults.push(fault));
  expect(faults).toEqual([]);
});

test.each(['BTC', 'btc', 'BTCUSDT', 'BTC-PERP', 'BTC/USD', 'BTC-USDT-SWAP', 'btcusd-perp'])('%s suggests BTCUSD-PERP', (word) => {
  const faults: string[] = [];
  checkSymbol(word, (fault) => faults.push(fault));
  expect(faults).toEqual([`a symbol must look like BTCUSD-PERP, not "${word}". Did you mean BTCUSD-PERP?`]);
});
