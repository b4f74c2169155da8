import { NUMBER_FIELDS } from '@market-state/labeler/policy-numbers';
import { URL_EDITS, withEdit, boundWords, nameOf, NUMBER_GROUPS } from './policy-numbers';

test('every editable number is in exactly one group', () => {
  expect(NUMBER_GROUPS.flatMap(({ fields }) => fields.map(({ path }) => path)).sort()).toEqual(
    NUMBER_FIELDS.map(({ path }) => path).sort(),
  );
});

test('names are unique within a group and show unit and bounds', () => {
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

test('edits with any typed text survive a round trip', () => {
  const edits = { 'thresholds.pressure.watch': '0.2', 'dwell.packets': 'a,b:c %', 'thresholds.flow.calibrated': 'false' };
  expect(URL_EDITS.read(URL_EDITS.write(edits))).toEqual(edits);
  expect(URL_EDITS.write({ 'dwell.packets': '1', 'thresholds.flow.watch': '0.3' })).toBe('dwell.packets:1,thresholds.flow.watch:0.3');
});

test('invalid edits in an address are ignored', () => {
  expect(URL_EDITS.read('')).toEqual({});
  expect(URL_EDITS.read('x,:1,dwell.packets:%')).toEqual({ 'dwell.packets': '%' });
});

test('setting the published value removes the edit', () => {
  const edits = withEdit({ 'dwell.packets': '1' }, 'thresholds.flow.watch', '0.3', 0.25);
  expect(edits).toEqual({ 'dwell.packets': '1', 'thresholds.flow.watch': '0.3' });
  expect(withEdit(edits, 'thresholds.flow.watch', '0.25', 0.25)).toEqual({ 'dwell.packets': '1' });
  expect(withEdit({}, 'thresholds.flow.calibrated', 'false', true)).toEqual({ 'thresholds.flow.calibrated': 'false' });
});
