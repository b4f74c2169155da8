import { compareEntryIds, formatEntryId, parseEntryId } from './log-redis';

test.each(['0-0', '1-1', '12-34567890123456', '999999999999999-999999999999999'])('%s is read as it is written', (text) => {
  expect(formatEntryId(parseEntryId(text))).toBe(text);
});

test.each(['', '-', '1', '1-', '-1', '1-1-1', '1-x', ' 1-1', '1-1 ', '1.5-1', '+1-1', '1-1234567890123456', '1234567890123456-1'])(
  '%j is no entry id',
  (text) => {
    expect(() => parseEntryId(text)).toThrow('not an entry id');
  },
);

test('entries are ordered by epoch, then ordinal, as numbers', () => {
  const ids = ['2-1', '1-10', '10-1', '1-9'].map(parseEntryId);
  expect(ids.sort(compareEntryIds).map(formatEntryId)).toEqual(['1-9', '1-10', '2-1', '10-1']);
});
