import type { MarketEvent } from './event';
import type { Instrument } from './instrument-rows';
import { nextShift } from './pass-shift';
import { recordingSpan, readRecordingLine } from './recording-line';
import { BinanceNormalizer } from './binance/normalizer';
import { parseMessage } from './binance/parse-message';
import type { PlacedEvent } from './log-writer';
import { type PassPlace, PassPlayer } from './pass-player';
import type { RejectionCounts } from './rejections';

/** A whole pass. */
export interface RecordingPassInput extends PassPlace {
  /** The lines of the recording's files, in order. */
  readonly lines: Iterable<string>;
}

/** A pass under way. */
interface RecordingPass {
  /** The events in log order, as `PassPlayer` gives them. */
  readonly events: Generator<PlacedEvent, void, undefined>;
  /** Counts of what was rejected up to where `events` was read. */
  readonly rejections: Readonly<RejectionCounts>;
}

/**
 * Plays one pass of a Binance COIN-M recording, lazily: nothing is computed before `events` is read.
 * @throws RangeError when the shift is not a multiple of 10 s.
 */
export function recordingPass(input: RecordingPassInput): RecordingPass {
  const player = new PassPlayer(input, (place, log) => new BinanceNormalizer(place, log));
  const { venueInstrument } = input.instrument;

  function* play(): Generator<PlacedEvent, void, undefined> {
    yield* player.start();
    for (const line of input.lines) {
      const read = readRecordingLine(line);
      if (read === undefined) player.refuse('broken_line');
      else yield* player.accept(read.receivedMs, parseMessage(read.text, read.messageStart, venueInstrument, 'coinm'));
    }
    yield* player.finish();
  }

  return { events: play(), rejections: player.rejections };
}

interface RecordingLogInput {
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
