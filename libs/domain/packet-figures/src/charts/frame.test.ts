import { barPath, createFrame, stepPath } from './frame';

// Six windows over 1,000 units. y is ten pixels for a unit.
const frame = createFrame(0, 60_000);
const path = (...values: readonly (number | null)[]) =>
  stepPath(
    frame,
    (value) => value * 10,
    values.map((value, index) => ({ windowEndMs: (index + 1) * 10_000, value })),
  );

test('a value holds over its window, and a corner stands only where it changes', () => {
  expect(path(1, 1, 2)).toBe('M0 10H333.33V20H500');
});

test('a null breaks the line: nothing is drawn over its window', () => {
  expect(path(1, null, 1)).toBe('M0 10H166.67M333.33 10H500');
  expect(path(null, null)).toBe('');
});

test('so does a window without a packet', () => {
  const readings = [1, 4].map((window) => ({ windowEndMs: window * 10_000, value: 1 }));
  expect(stepPath(frame, (value) => value * 10, readings)).toBe('M0 10H166.67M500 10H666.67');
});

// Five windows over 1,000 units.
const fiveWindows = createFrame(0, 50_000);
const bar = (window: number, to: number) => ({ windowEndMs: window * 10_000, from: 10, to });

test('bars of windows in a row share an outline, with a corner where the height changes; a missing window parts them', () => {
  expect(barPath(fiveWindows, [bar(1, 4), bar(2, 4), bar(3, 6), bar(5, 2)])).toBe('M0 10V4H400V6H600V10M800 10V2H1000V10');
  expect(barPath(fiveWindows, [])).toBe('');
});
