import type { MarketEvent } from '../event';
import type { RejectionCounts } from '../rejections';
import type { PeekedFile } from './peeked-file';

/** A file of a recording, unpacked. `name` tells what the content does not, and stands in errors. */
export interface RecordingFile {
  readonly name: string;
  /** The lines, without line ends, some at a time: what `recordingLineBatches` gives. Read once. */
  readonly lines: AsyncIterable<readonly string[]>;
}

/** What was read so far; grows as the events are read. */
export interface RecordingTally {
  /** Lines that are not empty, of the files that are played. */
  lines: number;
  /** Input that was not taken, by reason. */
  rejections: Readonly<RejectionCounts>;
}

/** One symbol's recording, ready to be played. */
export interface OpenRecording {
  readonly format: RecordingFormatId;
  readonly symbol: string;
  /** Every symbol found in the first lines of the files. */
  readonly symbols: readonly string[];
  readonly venue: string;
  /** The log that the recording gives, in order, some entries at a time. Read once; nothing is computed ahead. */
  readonly events: AsyncGenerator<readonly MarketEvent[]>;
  readonly tally: RecordingTally;
}

/** The formats that `openRecording` tells apart. */
export type RecordingFormatId =
  | 'binance-coinm'
  | 'binance-usdm'
  | 'hyperliquid-ws'
  | 'hyperliquid-archive'
  | 'hyperliquid-collector'
  | 'bybit'
  | 'market-state-rows';

/** What a reader is told of a format. */
export interface RecordingFormat {
  readonly id: RecordingFormatId;
  readonly title: string;
  /** The beginning of a first line. */
  readonly example: string;
}

/** A format with its reader. */
export interface FormatReader extends RecordingFormat {
  /** Whether a file that begins with this line is of this format. No two formats say yes to one line. */
  matches(firstLine: string): boolean;
  open(files: readonly PeekedFile[], symbol: string | undefined): Promise<Omit<OpenRecording, 'format'>>;
}
