import { isInstantOrEmpty, parseInstant } from './instant';

describe('parseInstant', () => {
  it.each([
    ['0', 0],
    ['1767225600000', 1_767_225_600_000],
    ['2026-01-01T00:00:00Z', 1_767_225_600_000],
    ['2026-01-01t00:00:00.123456z', 1_767_225_600_123],
    ['2026-01-01T02:00:00+02:00', 1_767_225_600_000],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000],
    ['253402300799999', 253_402_300_799_999],
  ])('reads %s', (text, instantMs) => {
    expect(parseInstant(text)).toBe(instantMs);
  });

  it.each([
    '',
    ' ',
    'now',
    '-1',
    '1.5',
    '1e3',
    '253402300800000',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-12-31T23:59:60Z',
    '2026-13-01T00:00:00Z',
    '1900-01-01T00:00:00Z',
  ])('reads nothing from %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it('takes empty where the document does', () => {
    expect(isInstantOrEmpty('')).toBe(true);
    expect(isInstantOrEmpty('x')).toBe(false);
  });
});
