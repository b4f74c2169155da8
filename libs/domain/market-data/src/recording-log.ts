import type { MarketEvent } from './event';
import type { Instrument } from './instruments';
import { nextShift } from './pass-shift';
import { recordingSpan } from './recording-line';
import { recordingPass } from './recording-pass';

export interface RecordingLogInput {
  readonly instrument: Instrument;
  /** The lines of the recording's files, in order; read once for the span and once for each pass. */
  readonly lines: Iterable<string>;
  /** Added to every time of the first pass, a multiple of 10,000 ms. */
  readonly firstShiftMs: number;
}

/**
 * The log that a Binance COIN-M recording makes when it is played over and over, unbroken: epoch 1, ordinals from 1 on, pass
 * after pass with a seam between, each pass as long after the one before as `nextShift` says. It has no end; nothing is
 * computed before it is read.
 * @throws RangeError when no line holds a message of the instrument, or the shift is not a multiple of 10 s.
 */
export function* recordingLog({ instrument, lines, firstShiftMs }: RecordingLogInput): Generator<MarketEvent, never, undefined> {
  const span = recordingSpan(lines, instrument.venueInstrument);
  let shiftMs = firstShiftMs;
  let firstOrdinal = 1;
  let previousLastExchangeMs: number | undefined;
  for (let pass = 1; ; pass += 1) {
    const nextShiftMs = nextShift(span, shiftMs);
    const place = {
      instrument,
      span,
      pass,
      epoch: 1,
      firstOrdinal,
      shiftMs,
      previousLastExchangeMs,
      endFeedClockMs: span.firstReceivedMs + nextShiftMs,
    };
    for (const { event } of recordingPass({ ...place, lines }).events) {
      firstOrdinal = event.ordinal + 1;
      yield event;
    }
    previousLastExchangeMs = span.lastExchangeMs + shiftMs;
    shiftMs = nextShiftMs;
  }
}
