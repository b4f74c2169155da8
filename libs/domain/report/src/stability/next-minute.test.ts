import { NextMinute } from './next-minute';

test('is the root of the sum of squared log returns between whole seconds', () => {
  const minute = new NextMinute();
  minute.addBook(9_500, 100);
  minute.ask(10_000, 0.4);
  minute.addBook(10_400, 101);
  minute.addBook(10_700, 102);
  minute.addBook(20_000, 102);
  for (let second = 21; second <= 69; second++) minute.addBook(second * 1_000, 103);
  expect(minute.takeKnown()).toEqual([]);
  minute.addBook(70_001, 200);
  const expected = Math.sqrt(Math.log(102 / 100) ** 2 + Math.log(103 / 102) ** 2);
  expect(minute.takeKnown()).toEqual([{ severity: 0.4, volatility: expect.closeTo(expected, 12) as number }]);
  expect(minute.takeKnown(true)).toEqual([]);
});
