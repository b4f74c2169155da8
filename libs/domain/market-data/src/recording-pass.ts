import { BinanceNormalizer } from './binance/normalizer';
import { parseMessage } from './binance/parse-message';
import type { PlacedEvent } from './log-writer';
import { type PassPlace, PassPlayer } from './pass-player';
import { readRecordingLine } from './recording-line';
import type { RejectionCounts } from './rejections';

/** A whole pass. */
export interface RecordingPassInput extends PassPlace {
  /** The lines of the recording's files, in order. */
  readonly lines: Iterable<string>;
}

/** A pass under way. */
export interface RecordingPass {
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
