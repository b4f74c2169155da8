import { NUMBER_FIELDS } from '@market-state/labeler/policy-numbers';
import { boundWords, nameOf, NUMBER_GROUPS } from './number-groups';

test('every number that can be edited stands in one group', () => {
  expect(NUMBER_GROUPS.flatMap(({ fields }) => fields.map(({ path }) => path)).sort()).toEqual(
    NUMBER_FIELDS.map(({ path }) => path).sort(),
  );
});

test('names differ within a group, and say their unit and bounds', () => {
  for (const { fields } of NUMBER_GROUPS) {
    const names = fields.map((field) => `${nameOf(field).name} ${nameOf(field).unit}`);
    expect(new Set(names).size).toBe(names.length);
  }
  const of = (path: string) => {
    const field = NUMBER_FIELDS.find((each) => each.path === path);
    return field === undefined ? null : [nameOf(field), boundWords(field)];
  };
  expect(of('thresholds.forced_flow.watch')).toEqual([{ name: 'Forced flow, watch', unit: '' }, 'above 0 to 1']);
  expect(of('windows.trade_ms')).toEqual([{ name: 'Trade', unit: 'ms' }, 'whole, from 1']);
  expect(of('dwell.packets')).toEqual([{ name: 'Packets', unit: 'packets' }, 'whole, from 1']);
  expect(of('thresholds.flow.calibrated')).toEqual([{ name: 'Flow, calibrated', unit: '' }, '']);
});
