import { createPlaces } from './places';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const LIMITS = { active: 8, parked: 4, parkAfterMs: 250, cutAfterMs: 5_000 };
const open = () => createPlaces(LIMITS, () => Date.now());

test('an attempt is active for 250 ms, then parked, and its place is free', async () => {
  const places = open();
  expect(places.take(10, false)).toBe(8);
  const ends = Array.from({ length: 8 }, () => places.begin(false, () => undefined));
  let isFree = false;
  void places.free().then(() => {
    isFree = true;
  });
  await jest.advanceTimersByTimeAsync(249);
  expect([places.active(), places.parked(), isFree, places.isWaitedFor()]).toEqual([8, 0, false, true]);
  await jest.advanceTimersByTimeAsync(1);
  expect([places.active(), places.parked(), isFree, places.isWaitedFor()]).toEqual([4, 4, true, false]);
  for (const end of ends) end();
  expect([places.active(), places.parked()]).toEqual([0, 0]);
});

test('when the parked places are used up, the oldest gives way once it took 5 s', async () => {
  const places = open();
  const cut: number[] = [];
  places.take(5, false);
  const ends = Array.from({ length: 5 }, (_, index) => places.begin(false, () => cut.push(index)));
  await jest.advanceTimersByTimeAsync(4_900);
  expect([places.active(), places.parked(), cut]).toEqual([1, 4, []]);
  await jest.advanceTimersByTimeAsync(200);
  expect([places.active(), places.parked(), cut]).toEqual([0, 4, [0]]);
  for (const end of ends) end();
  expect([places.active(), places.parked()]).toEqual([0, 0]);
});

test('slow endpoints share a quarter of the places', () => {
  const places = open();
  expect(places.take(4, true)).toBe(2);
  expect(places.take(1, true)).toBe(0);
  expect(places.take(8, false)).toBe(6);
});
