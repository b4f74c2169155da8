/**
 * Unparsed message. `receivedNs text` is a line of the recording format, so that live and replayed messages share
 * parsers.
 */
export interface RawMessage {
  readonly receivedMs: number;
  /** The same in nanoseconds, as decimal digits. */
  readonly receivedNs: string;
  readonly text: string;
}

/** Messages dropped under overload; reported once, at their position. */
interface OverflowReport {
  readonly collapsedBooks: Readonly<Record<string, number>>;
}

export type MissingInstruments = ReadonlyMap<string, string>;

/** The venue delisted or relisted an instrument. */
export interface ListingChange {
  readonly instrument: string;
  /** Reason in one sentence; undefined if subscribed from here on. */
  readonly missing: string | undefined;
}

export interface MessageBatch {
  readonly messages: readonly RawMessage[];
  /** An `overflow` gap in these books. */
  readonly overflow?: OverflowReport;
  /** An oversized, unread frame preceded these messages: an `overflow` gap in every channel of every instrument. */
  readonly refusedFrameMs?: number;
  /** Precedes these messages (possibly none). */
  readonly listing?: ListingChange;
}

/** One connection to a venue. It never reopens; `runConnection` creates the next one. */
export interface VenueConnection {
  /**
   * Returns the reason for each missing instrument. Those are subscribed once listed, as the messages report.
   * @throws VenueError if the metadata cannot be read, or every subscription is refused
   */
  subscribe(instruments: readonly string[]): Promise<MissingInstruments>;
  /** Resubscribes an instrument if it is still listed. Never rejects. */
  resubscribe(instrument: string): Promise<void>;
  /** Single use. Ends when the owner closes the connection; throws VenueError when it is lost. */
  messages(): AsyncIterable<MessageBatch>;
  /** Requests a complete book, which arrives in the messages. Throws VenueError on timeout. */
  requestSnapshot(instrument: string): Promise<void>;
  /** Requests history, which arrives in the messages. Never rejects: failures are logged. */
  catchUp(instrument: string, sinceMs: number): Promise<void>;
  readonly counts: Readonly<ConnectionCounts>;
  /** Drops the connection as lost: `messages` throws VenueError with the reason. */
  abandon(reason: string): void;
  close(): void;
}

export interface ConnectionCounts {
  received: number;
  oversizedFrames: number;
  collapsedBooks: number;
}

export interface VenueSource {
  /** @throws VenueError if the venue does not respond in time; or the signal's reason */
  connect(signal: AbortSignal): Promise<VenueConnection>;
}

/** Clock for receive times; tests can run it faster. */
export interface VenueClock {
  nowMs(): number;
}

export const systemClock: VenueClock = { nowMs: () => Date.now() };

type VenueFault =
  | 'unreachable'
  /** An open connection ended, stopped answering pings or went silent. */
  | 'connection_lost'
  | 'bad_answer';

/** `message` is safe to log. */
export class VenueError extends Error {
  override readonly name = 'VenueError';

  constructor(
    readonly fault: VenueFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
