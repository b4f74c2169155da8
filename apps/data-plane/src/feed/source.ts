import type { RecordingLine } from '@market-state/market-data';

/** One message as the venue sent it, and when it was received, milliseconds since the epoch. */
export type RawMessage = RecordingLine;

/** An open connection to a venue, or to a recording of one. */
export interface SourceConnection {
  /** Asks for every channel of a symbol; nothing is yielded before. */
  subscribe(symbol: string): Promise<void>;
  /**
   * Messages in the order received, as many at once as are there; undefined stands for something received that is no message.
   * Ends when the connection does: a recording's at its last line, a venue's when it disconnects.
   * @throws when the source can't be read any further
   */
  messages(): AsyncIterable<readonly (RawMessage | undefined)[]>;
  close(): Promise<void>;
}

/** Where raw messages come from. */
export interface Source {
  /** @throws when the venue can't be reached. */
  connect(): Promise<SourceConnection>;
}
