import { refusedOf, tableOf } from './growth-reads';

it("a table shows each value's ratio to the first column, and refusals", () => {
  const columns = [
    {
      title: '1 h',
      figures: new Map([
        ['latest', 0.5],
        ['replay', 10],
      ]),
    },
    {
      title: '24 h',
      figures: new Map([
        ['latest', 1],
        ['replay', NaN],
      ]),
    },
  ];
  expect(tableOf(columns)).toEqual(['          1 h         24 h', 'latest   0.50  1.00 (2.00)', 'replay  10.00      refused']);
});

it('refusals are listed by status, and nothing if all was answered', () => {
  expect(refusedOf([200, 503, 200, 429, 503])).toBe('of 5 answers 2 were 503, 1 were 429');
  expect(refusedOf([200, 200])).toBeUndefined();
});
