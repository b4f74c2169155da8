import { allowsRange, readRange } from './open-files';

const SIZE = 1_000;

it.each([
  ['bytes=0-0', 0, 1],
  ['bytes=0-', 0, SIZE],
  ['bytes=200-299', 200, 300],
  ['bytes=999-', 999, SIZE],
  ['bytes=999-5000', 999, SIZE],
  ['bytes=-1', 999, SIZE],
  ['bytes=-5000', 0, SIZE],
  ['Bytes=1-1', 1, 2],
  ['bytes= 5-6 ', 5, 7],
])('reads %s as [%i, %i)', (header, from, to) => {
  expect(readRange(header, SIZE)).toEqual({ from, to });
});

it.each([
  undefined,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=a-b',
  'bytes=5-4',
  'bytes=1.5-2',
  'bytes=--1',
  'rows=0-1',
  'bytes=0-1,5-6',
  'bytes=0-1, -1',
])('takes %s for the whole file', (header) => {
  expect(readRange(header, SIZE)).toBeNull();
});

it.each(['bytes=1000-', 'bytes=1000-1001', 'bytes=-0', 'bytes=999999999999999-'])('refuses %s with the size of the file', (header) => {
  expect(() => readRange(header, SIZE)).toThrow(
    expect.objectContaining({ code: 'range_not_satisfiable', headers: { 'Content-Range': 'bytes */1000' } }),
  );
});

it('refuses every range of an empty file, and sends it whole without one', () => {
  for (const header of ['bytes=0-', 'bytes=-1']) expect(() => readRange(header, 0)).toThrow('has 0 bytes');
  expect(readRange(undefined, 0)).toBeNull();
});

it('allows a range by the very entity tag alone', () => {
  expect(allowsRange(undefined, '"a"')).toBe(true);
  expect(allowsRange('"a"', '"a"')).toBe(true);
  for (const header of ['"b"', 'W/"a"', 'a', '', 'Mon, 23 Nov 2026 10:00:00 GMT', '"a", "b"'])
    expect(allowsRange(header, '"a"')).toBe(false);
});
