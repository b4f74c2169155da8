import type { MarketEvent } from '../event';
import type { DescribedInstrument, InstrumentRow, PlayedInstrument } from '../played-instrument';
import type { PassPlace } from '../pass-player';
import type { RecordingSpan } from '../pass-shift';
import type { PeekedFile } from './peeked-file';
import type { PlayedPass } from './play-messages';
import type { RecordingTally } from './recording-notes';

/** One symbol's recording, ready to be read once: as a log of its own, as a pass of a longer one, or for its span. */
export interface OpenRecording extends OpenedRecording {
  /** Id of its format. */
  readonly format: string;
  readonly venue: string;
}

/** The same as a format's reader gives it. */
export interface OpenedRecording {
  readonly symbol: string;
  /** Every symbol found in the first lines of the files. */
  readonly symbols: readonly string[];
  /** What is known of the instrument: its row of the table, where that has one, else what the format and the first lines tell. */
  readonly instrument: PlayedInstrument;
  /** The log that the recording gives, in order, some entries at a time. Nothing is computed ahead. */
  readonly events: AsyncGenerator<readonly MarketEvent[]>;
  readonly tally: RecordingTally;
  /** First and last times. @throws RecordingError when nothing would enter the log */
  span(): Promise<RecordingSpan>;
  /** Plays it as one pass at a place. @throws RangeError when the shift is not a multiple of 10 s */
  pass(place: Omit<PassPlace, 'instrument'>): PlayedPass;
}

/** What a reader is told of a format. */
export interface RecordingFormat {
  /** No two formats have the same. */
  readonly id: string;
  readonly title: string;
  /** The beginning of a first line. */
  readonly example: string;
}

/** A format with its reader. */
export interface FormatReader extends RecordingFormat {
  /** Whether a file that begins with this line is of this format. No two formats say yes to one line. */
  matches(firstLine: string): boolean;
  /** @param described what the user says of the instrument, where it was said; it is among the rows, too */
  open(
    files: readonly PeekedFile[],
    symbol: string | undefined,
    rows: readonly InstrumentRow[],
    described?: DescribedInstrument,
  ): Promise<OpenedRecording>;
}
