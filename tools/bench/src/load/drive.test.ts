import { faultsOf, isFlat } from './drive';

it('a load passes only if every answer has an allowed status, none is missing and some are 200', () => {
  expect(faultsOf({ statuses: { 200: 10, 429: 3, 503: 1 }, failed: 0, unanswered: 0 }, [200, 429, 503])).toEqual([]);
  expect(faultsOf({ statuses: { 200: 10, 500: 2 }, failed: 1, unanswered: 2 }, [200, 429, 503])).toEqual([
    '2 calls were answered with 500.',
    '1 calls had a broken connection, or no answer in time.',
    '2 calls had no answer.',
  ]);
  expect(faultsOf({ statuses: { 429: 3 }, failed: 0, unanswered: 0 }, [200, 429, 503])).toEqual(['No call was answered with 200.']);
});

it('memory that still grows in the last quarter of a load is not flat; memory that only grew at first is', () => {
  expect(isFlat([50, 90, 100, 101, 99, 104, 103, 102])).toBe(true);
  expect(isFlat([100, 110, 120, 130, 140, 150, 160, 170])).toBe(false);
  expect(isFlat([])).toBe(false);
});
