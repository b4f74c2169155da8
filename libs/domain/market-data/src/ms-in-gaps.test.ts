import fc from 'fast-check';
import { msInGaps } from './ms-in-gaps';

const gap = fc.record({ startMs: fc.integer({ min: 1, max: 60 }), endMs: fc.integer({ min: 0, max: 60 }) });

test('time in gaps is what a count millisecond by millisecond finds, however they overlap', () => {
  fc.assert(
    fc.property(
      fc.array(gap, { maxLength: 8 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 30 }),
      (gaps, fromMs, lengthMs) => {
        const moments = Array.from({ length: lengthMs }, (_none, index) => fromMs + index);
        const lost = moments.filter((ms) => gaps.some(({ startMs, endMs }) => startMs <= ms && (endMs === 0 || ms < endMs)));
        expect(msInGaps(gaps, fromMs, fromMs + lengthMs)).toBe(lost.length);
      },
    ),
    { seed: 22_001, numRuns: 500 },
  );
});
