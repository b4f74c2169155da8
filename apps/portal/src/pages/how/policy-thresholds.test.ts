import { thresholdsOf } from './policy-thresholds';

test('thresholds are read as the policy has them, and what has another form is left out', () => {
  const pressure = { watch: 0.16, elevated: 0.3, calibrated: true };
  expect([...thresholdsOf({ files: { numbers: { thresholds: { pressure, flow: { watch: '0.25' } } } } })]).toEqual([
    ['pressure', pressure],
  ]);
  expect([...thresholdsOf({ files: {} })]).toEqual([]);
});
