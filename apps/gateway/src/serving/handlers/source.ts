import type { SourceKindName } from '../meta/meta';
import type { Described } from '../openapi/described';

/** Messages for one reader, and where the reader is once it has them. */
export interface Piece {
  /** Empty when only the position moved. */
  readonly bytes: Buffer;
  /** Id to resume from then; null before the first message that has one. */
  readonly id: string | null;
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
  /** Id to resume from before the first piece; null where there is none yet. */
  readonly startId: string | null;
  /**
   * Ends when all is sent, with the status of the receipt as code, and when the signal aborts. Throws a ServiceError when the source is
   * lost for good.
   */
  pieces(signal: AbortSignal): AsyncGenerator<Piece, void, undefined>;
  /** Newest instant of the feed clock that was heard, milliseconds since the epoch; 0 where none was. */
  feedClockMs(): number;
  /** The same for each symbol of a stream of several. */
  feedClocks?(): ReadonlyMap<string, number>;
  sourceKinds(): readonly SourceKindName[];
  /** For a sandbox key; default false. */
  readonly delayed?: boolean;
  /** Of a replay that came to its receipt: the receipt's status, which its last message repeats. Absent: it has no end of its own. */
  receiptStatus?(): ReceiptStatus | null;
  /** Lets go of what the source holds. */
  close(): void;
}
