import { createRandom } from '@market-state/testing';
import { planKills } from './labeler-suite';

test.each([1, 2, 3, 20, 100])('at least one of %i kills is at a checkpoint, and the budget is used up', (total) => {
  const { beforeHour, fromHourOn } = planKills(total, createRandom(total));
  const all = [...beforeHour, ...fromHourOn];
  expect(all).toHaveLength(total);
  expect(fromHourOn[0]).toBe("before an hour's checkpoint is written");
  expect(beforeHour).not.toContain("before an hour's checkpoint is written");
});

test('three kills cover each critical point once, twenty cover each several times', () => {
  const places = (total: number) => {
    const { beforeHour, fromHourOn } = planKills(total, createRandom(7));
    const all = [...beforeHour, ...fromHourOn];
    return ['anywhere', 'before its packet is written', 'before its state is saved', "before an hour's checkpoint is written"].map(
      (place) => all.filter((one) => one === place).length,
    );
  };
  expect(places(3)).toEqual([1, 1, 0, 1]);
  expect(places(20)).toEqual([8, 6, 3, 3]);
});

test('a seed reproduces its plan', () => {
  expect(planKills(20, createRandom(3))).toEqual(planKills(20, createRandom(3)));
  expect(planKills(20, createRandom(3))).not.toEqual(planKills(20, createRandom(4)));
});
