import { timeOfCell } from './read-row';

test('a UTC time that no calendar or clock shows is no time', () => {
  expect(timeOfCell('2024-02-29T00:00:00Z', 'utc')).toBe(1_709_164_800_000);
  for (const text of ['2024-02-30T00:00:00Z', '2024-02-29T24:00:00Z', '2024-04-31 10:00:00'])
    expect(timeOfCell(text, 'utc')).toBeUndefined();
});
