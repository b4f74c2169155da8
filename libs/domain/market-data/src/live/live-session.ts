import type { TimedChannel } from '../event';
import { type LineFormat, PASSED_OVER } from '../recordings/line-format';
import type { LogPosition, LogWriter } from '../log-writer';
import type { LiveNormalizer } from '../normalizer';
import type { RejectionCounts } from '../rejections';

export interface LiveSession {
  readonly rejections: RejectionCounts;
  readonly needsSnapshot: boolean;
  readonly isTradeQuiet: boolean;
  /**
   * @param line `<receive time, ns> <message>`, as in a recording
   * @returns the channel of its subscription, if monitored
   */
  accept(line: string): TimedChannel | undefined;
  tick(): void;
  overflowed(): void;
  ended(): void;
}

export interface LiveVenue {
  namesOf(line: string): readonly string[];
  open(place: LogPosition, log: LogWriter): LiveSession;
  exchangeTimesOf(line: string, venueInstrument: string): readonly number[];
}

export function liveVenue<Message>(
  format: LineFormat<Message>,
  normalizerOf: (place: LogPosition, log: LogWriter) => LiveNormalizer<Message>,
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
