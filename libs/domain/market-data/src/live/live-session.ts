import type { TimedChannel } from '../event';
import { type LineFormat, PASSED_OVER } from '../recordings/line-format';
import type { LogPlace, LogWriter } from '../log-writer';
import type { LiveNormalizer } from '../normalizer';
import type { RejectionCounts } from '../rejections';

/** What one connection brings of one instrument, on its way into the log. */
export interface LiveSession {
  readonly rejections: RejectionCounts;
  /** Something is missing that must be asked for. */
  readonly needsSnapshot: boolean;
  /** By the venue's own count, no trade was made since the last one. */
  readonly isTradeQuiet: boolean;
  /**
   * @param line `<receive time, ns> <message>`, a line of a recording
   * @returns the channel whose subscription brought it, where that is one that is watched
   */
  accept(line: string): TimedChannel | undefined;
  /** The feed clock has come to a tick. */
  tick(): void;
  /** Messages of the book were let go: writes the gap. */
  overflowed(): void;
  /** The connection ended: writes what waits, and what is known to be missing. */
  ended(): void;
}

/** The messages of a venue as they come, live. */
export interface LiveVenue {
  /** The venue's names of the instruments that a line speaks of; empty where it names none. */
  namesOf(line: string): readonly string[];
  open(place: LogPlace, log: LogWriter): LiveSession;
  /** Exchange times of what a line brings of an instrument. */
  exchangeTimesOf(line: string, venueInstrument: string): readonly number[];
}

/** What comes live in a format of recordings. */
export function liveVenue<Message>(
  format: LineFormat<Message>,
  normalizerOf: (place: LogPlace, log: LogWriter) => LiveNormalizer<Message>,
): LiveVenue {
  return {
    namesOf: format.instrumentsOf,
    exchangeTimesOf(line, venueInstrument) {
      const received = format.readerOf(venueInstrument)(line);
      return received === undefined || received === PASSED_OVER ? [] : format.exchangeTimesOf(received.message);
    },
    open(place, log) {
      const normalizer = normalizerOf(place, log);
      const read = format.readerOf(place.instrument.venueInstrument);
      return {
        rejections: normalizer.rejections,
        get needsSnapshot() {
          return normalizer.needsSnapshot;
        },
        get isTradeQuiet() {
          return normalizer.isTradeQuiet;
        },
        accept(line) {
          const received = read(line);
          if (received === PASSED_OVER) return undefined;
          if (received === undefined) {
            normalizer.rejections.broken_line++;
            return undefined;
          }
          normalizer.accept(received.message);
          return normalizer.channelOf(received.message);
        },
        tick: () => normalizer.tick(),
        overflowed: () => normalizer.overflowed(),
        ended: () => normalizer.ended(),
      };
    },
  };
}
