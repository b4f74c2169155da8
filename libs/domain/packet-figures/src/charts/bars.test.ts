import { barPath, createFrame } from './frame';

// Five windows over 1,000 units.
const frame = createFrame(0, 50_000);
const bar = (window: number, to: number) => ({ windowEndMs: window * 10_000, from: 10, to });

test('bars of windows in a row share an outline, with a corner where the height changes; a missing window parts them', () => {
  expect(barPath(frame, [bar(1, 4), bar(2, 4), bar(3, 6), bar(5, 2)])).toBe('M0 10V4H400V6H600V10M800 10V2H1000V10');
  expect(barPath(frame, [])).toBe('');
});
