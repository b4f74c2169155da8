import fc from 'fast-check';
import { firstShift, nearestShift, nextShift, type RecordingSpan } from './index';

const span: RecordingSpan = {
  firstReceivedMs: 1_723_161_256_172,
  lastReceivedMs: 1_723_161_903_531,
  firstExchangeMs: 1_723_161_257_432,
  lastExchangeMs: 1_723_161_904_795,
};
const anySpan = fc
  .tuple(fc.nat({ max: 2 ** 40 }), fc.nat({ max: 10 ** 7 }), fc.nat({ max: 2 ** 40 }), fc.nat({ max: 10 ** 7 }))
  .map(([received, receivedLength, exchange, exchangeLength]) => ({
    firstReceivedMs: received,
    lastReceivedMs: received + receivedLength,
    firstExchangeMs: exchange,
    lastExchangeMs: exchange + exchangeLength,
  }));

describe('pass shift', () => {
  it('is the largest multiple of 10 s that starts the first pass at or before the hour', () => {
    const hour = Date.UTC(2026, 7, 9, 21);
    expect(firstShift(span, hour) % 10_000).toBe(0);
    expect(hour - (span.firstReceivedMs + firstShift(span, hour))).toBe(3_828);
    expect(firstShift(span, span.firstReceivedMs)).toBe(0);
    expect(firstShift(span, span.firstReceivedMs + 9_999)).toBe(0);
    expect(firstShift(span, span.firstReceivedMs - 1)).toBe(-10_000);
  });

  it('is the nearest multiple of 10 s to a given start', () => {
    expect(nearestShift(span, span.firstReceivedMs + 4_999)).toBe(0);
    expect(nearestShift(span, span.firstReceivedMs + 5_000)).toBe(10_000);
    expect(nearestShift(span, span.firstReceivedMs - 5_001)).toBe(-10_000);
  });

  it('rises by the pass length rounded up to 10 s', () => {
    expect(nextShift(span, 0)).toBe(650_000);
    expect(nextShift(span, 20_000)).toBe(670_000);
    expect(nextShift({ ...span, lastReceivedMs: span.firstReceivedMs + 650_000 }, 0)).toBe(660_000);
    expect(nextShift({ ...span, lastExchangeMs: span.firstExchangeMs + 650_001 }, 0)).toBe(660_000);
  });

  it('puts each pass wholly after the one before it, by both clocks, and no further than it must', () => {
    fc.assert(
      fc.property(anySpan, fc.integer({ min: -1_000, max: 1_000 }), (recording, steps) => {
        const shift = steps * 10_000;
        const next = nextShift(recording, shift);
        const after = (at: number): boolean =>
          recording.firstReceivedMs + at > recording.lastReceivedMs + shift &&
          recording.firstExchangeMs + at > recording.lastExchangeMs + shift;
        expect(next % 10_000 === 0 && after(next) && !after(next - 10_000)).toBe(true);
      }),
    );
  });
});
