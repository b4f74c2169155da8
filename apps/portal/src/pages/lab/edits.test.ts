import { URL_EDITS, withEdit } from './edits';

test('edits are read again as they were written, whatever was typed', () => {
  const edits = { 'thresholds.pressure.watch': '0.2', 'dwell.packets': 'a,b:c %', 'thresholds.flow.calibrated': 'false' };
  expect(URL_EDITS.read(URL_EDITS.write(edits))).toEqual(edits);
  expect(URL_EDITS.write({ 'dwell.packets': '1', 'thresholds.flow.watch': '0.3' })).toBe('dwell.packets:1,thresholds.flow.watch:0.3');
});

test('what is no edit in an address is none', () => {
  expect(URL_EDITS.read('')).toEqual({});
  expect(URL_EDITS.read('x,:1,dwell.packets:%')).toEqual({ 'dwell.packets': '%' });
});

test('a number that is set to its published value is edited no more', () => {
  const edits = withEdit({ 'dwell.packets': '1' }, 'thresholds.flow.watch', '0.3', 0.25);
  expect(edits).toEqual({ 'dwell.packets': '1', 'thresholds.flow.watch': '0.3' });
  expect(withEdit(edits, 'thresholds.flow.watch', '0.25', 0.25)).toEqual({ 'dwell.packets': '1' });
  expect(withEdit({}, 'thresholds.flow.calibrated', 'false', true)).toEqual({ 'thresholds.flow.calibrated': 'false' });
});
