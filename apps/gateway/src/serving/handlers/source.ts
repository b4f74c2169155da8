import type { SourceKindName } from '../meta/meta';
import type { Described } from '../openapi/described';
import type { StreamPosition } from './stream-position';

/** Messages for one reader, and where the reader stands once it has them. */
export interface Piece {
  /** Empty when only the position moved. */
  readonly bytes: Buffer;
  readonly position: StreamPosition;
  readonly messageTotal: number;
  /** Rows and gaps that this piece tells the reader it missed. */
  readonly skippedTotal: number;
}

/** Whether all rows of a window were sent. */
export type ReceiptStatus = Described<'Completeness'>['status'];

/** What one stream sends, made only as fast as its reader takes it. */
export interface StreamSource {
  /** A heartbeat goes before the first piece, which may be long in coming. */
  readonly heartbeatFirst: boolean;
  /** Where the reader stands before the first piece. */
  readonly start: StreamPosition;
  /**
   * Ends when all is sent, with the status of the receipt as code, and when the signal aborts. Throws a ServiceError when the source is
   * lost for good.
   */
  pieces(signal: AbortSignal): AsyncGenerator<Piece, void, undefined>;
  /** Newest instant of the feed clock that was heard, milliseconds since the epoch; 0 where none was. */
  feedClockMs(): number;
  sourceKind(): SourceKindName;
  /** For a sandbox key; default false. */
  readonly delayed?: boolean;
  /** Of a replay that came to its receipt: the receipt's status, which its last message repeats. Absent: it has no end of its own. */
  receiptStatus?(): ReceiptStatus | null;
  /** Lets go of what the source holds. */
  close(): void;
}
