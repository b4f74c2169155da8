import type { MarketEvent } from '../event';
import type { DescribedInstrument, InstrumentRow, PlayedInstrument } from '../played-instrument';
import type { PassPosition, RecordingSpan } from '../pass-player';
import type { PeekedFile } from './peeked-file';
import type { PlayedPass } from './play-messages';
import type { RecordingTally } from './recording-notes';

/** One symbol's recording. Readable once: as a log, as a pass of a longer log, or for its span. */
export interface OpenRecording extends OpenedRecording {
  /** The market, if one was requested. */
  readonly symbol: string;
  readonly format: string;
  readonly venue: string;
}

export interface OpenedRecording {
  readonly symbol: string;
  readonly symbols: readonly string[];
  /** Table row, otherwise facts from the format and first lines. */
  readonly instrument: PlayedInstrument;
  readonly events: AsyncGenerator<readonly MarketEvent[]>;
  readonly tally: RecordingTally;
  /** @throws RecordingError if nothing would enter the log */
  span(): Promise<RecordingSpan>;
  /** @throws RangeError unless the shift is a multiple of 10 s */
  pass(place: Omit<PassPosition, 'instrument'>): PlayedPass;
}

export interface RecordingFormat {
  readonly id: string;
  readonly title: string;
  readonly example: string;
}

export interface FormatReader extends RecordingFormat {
  /** True if a file starting with this line has this format; at most one format matches. */
  matches(firstLine: string): boolean;
  open(
    files: readonly PeekedFile[],
    market: string | undefined,
    rows: readonly InstrumentRow[],
    described?: DescribedInstrument,
  ): Promise<OpenedRecording>;
}
