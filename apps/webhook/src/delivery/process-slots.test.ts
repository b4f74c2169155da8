import { createProcessSlots } from './process-slots';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const LIMITS = { active: 8, parked: 4, parkAfterMs: 250, cutAfterMs: 5_000 };
const open = () => createProcessSlots(LIMITS, () => Date.now());

test('an attempt is active for 250 ms, then parked, and its place is free', async () => {
  const slots = open();
  expect(slots.take(10, false)).toBe(8);
  const ends = Array.from({ length: 8 }, () => slots.begin(false, () => undefined));
  let isFree = false;
  void slots.free().then(() => {
    isFree = true;
  });
  await jest.advanceTimersByTimeAsync(249);
  expect([slots.active(), slots.parked(), isFree, slots.isWaitedFor()]).toEqual([8, 0, false, true]);
  await jest.advanceTimersByTimeAsync(1);
  expect([slots.active(), slots.parked(), isFree, slots.isWaitedFor()]).toEqual([4, 4, true, false]);
  for (const end of ends) end();
  expect([slots.active(), slots.parked()]).toEqual([0, 0]);
});

test('when the parked slots are used up, the oldest gives way once it took 5 s', async () => {
  const slots = open();
  const cut: number[] = [];
  slots.take(5, false);
  const ends = Array.from({ length: 5 }, (_, index) => slots.begin(false, () => cut.push(index)));
  await jest.advanceTimersByTimeAsync(4_900);
  expect([slots.active(), slots.parked(), cut]).toEqual([1, 4, []]);
  await jest.advanceTimersByTimeAsync(200);
  expect([slots.active(), slots.parked(), cut]).toEqual([0, 4, [0]]);
  for (const end of ends) end();
  expect([slots.active(), slots.parked()]).toEqual([0, 0]);
});

test('slow endpoints share a quarter of the slots', () => {
  const slots = open();
  expect(slots.take(4, true)).toBe(2);
  expect(slots.take(1, true)).toBe(0);
  expect(slots.take(8, false)).toBe(6);
});
