import { createLookUpLane } from './look-up-lane';

/** A look-up that ends when it is told to. */
function lookUp() {
  let end = (): void => undefined;
  let begun = false;
  const work = (): Promise<string> => {
    begun = true;
    return new Promise((resolve) => {
      end = () => resolve('done');
    });
  };
  return { work, begun: () => begun, end: () => end() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('lets so many go at once, the next in the order in which they came, and refuses what is beyond those that may wait', async () => {
  const lane = createLookUpLane({ inFlightMax: 2, waitingMax: 2, waitMsMax: 60_000 });
  const all = Array.from({ length: 4 }, lookUp);
  const answers = all.map(({ work }) => lane.run(work));
  await expect(lane.run(async () => 'never')).rejects.toMatchObject({ code: 'overloaded', status: 503, headers: { 'Retry-After': '1' } });
  expect(all.map(({ begun }) => begun())).toEqual([true, true, false, false]);
  all[1]?.end();
  await turn();
  expect(all.map(({ begun }) => begun())).toEqual([true, true, true, false]);
  all[0]?.end();
  await turn();
  for (const each of all) each.end();
  await expect(Promise.all(answers)).resolves.toEqual(['done', 'done', 'done', 'done']);
  await expect(lane.run(async () => 'again')).resolves.toBe('again');
});

test('refuses one that waited too long, and hands no place to it', async () => {
  const lane = createLookUpLane({ inFlightMax: 1, waitingMax: 9, waitMsMax: 1 });
  const first = lookUp();
  const held = lane.run(first.work);
  const late = lookUp();
  await expect(lane.run(late.work)).rejects.toMatchObject({ code: 'overloaded' });
  first.end();
  await held;
  expect(late.begun()).toBe(false);
  await expect(lane.run(async () => 'free')).resolves.toBe('free');
});

test('a look-up that fails makes room', async () => {
  const lane = createLookUpLane({ inFlightMax: 1, waitingMax: 0, waitMsMax: 1 });
  await expect(lane.run(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  await expect(lane.run(async () => 'next')).resolves.toBe('next');
});
