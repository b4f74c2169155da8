import type { MarketEvent } from './event';
import type { Instrument } from './instrument-rows';
import { nextShift, type PassPosition, PassPlayer } from './pass-player';
import { recordingSpan, readRecordingLine } from './recording-line';
import { BinanceNormalizer } from './binance/normalizer';
import { parseMessage } from './binance/parse-message';
import type { PlacedEvent } from './log-writer';
import type { RejectionCounts } from './rejections';

export interface RecordingPassInput extends PassPosition {
  readonly lines: Iterable<string>;
}

interface RecordingPass {
  readonly events: Generator<PlacedEvent, void, undefined>;
  readonly rejections: Readonly<RejectionCounts>;
}

/**
 * Lazy.
 * @throws RangeError unless the shift is a multiple of 10 s
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
  readonly lines: Iterable<string>;
  readonly firstShiftMs: number;
}

/**
 * Endless, lazy log of a looped Binance COIN-M recording: epoch 1, ordinals from 1, a seam between passes.
 * @throws RangeError if there is no message of the instrument, or the shift is not a multiple of 10 s
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
