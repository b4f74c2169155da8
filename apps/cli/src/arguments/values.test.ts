import { instantOption } from './values';

function faultsOf(from: string): string[] {
  const faults: string[] = [];
  instantOption({ from }, 'from', (fault) => faults.push(fault));
  return faults;
}

test('a day or an hour that is on no calendar or clock is refused before anything is sent', () => {
  expect(faultsOf('2024-02-29')).toEqual([]);
  for (const text of ['2026-02-30', '2026-04-31T10:00:00Z', '2026-01-01T24:00:00Z'])
    expect(faultsOf(text)).toEqual([`--from must be a UTC time such as 2024-08-08T23:55:00Z, or epoch milliseconds, not "${text}"`]);
});
