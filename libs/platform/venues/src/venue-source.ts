/**
 * One message as the venue sent it. Together `receivedNs text` is a line of the recording format, so live, recorded and replayed
 * messages pass the same parsers.
 */
export interface RawMessage {
  /** Receive time by this machine's clock, milliseconds since the epoch. */
  readonly receivedMs: number;
  /** The same in nanoseconds, decimal digits: how a recording writes it. */
  readonly receivedNs: string;
  /** The frame, or the answer of a REST route in the venue's recorded form. Not parsed, not changed. */
  readonly text: string;
}

/** Reports messages dropped because more came than were read, at their position and once. */
interface OverflowReport {
  /** Book messages that newer ones replaced, by the venue's name of the instrument. */
  readonly collapsedBooks: Readonly<Record<string, number>>;
}

/** The reason why nothing comes of an instrument, by the venue's name of it. */
export type MissingInstruments = ReadonlyMap<string, string>;

/** The venue stopped listing an instrument of the connection, or lists it again. */
export interface ListingChange {
  /** The venue's name. */
  readonly instrument: string;
  /** One sentence: why nothing comes of it. Undefined: it is subscribed from here on. */
  readonly missing: string | undefined;
}

/** What came since the last batch, in the order of its receipt. */
export interface MessageBatch {
  readonly messages: readonly RawMessage[];
  /** Present when books were collapsed since the previous batch: a gap of reason `overflow` in the books named. */
  readonly overflow?: OverflowReport;
  /**
   * Receive time of a frame over the limit that came just ahead of these messages, which may be none, and was not read. Its content is
   * unknown: a gap of reason `overflow` in every channel of every instrument of the connection.
   */
  readonly refusedFrameMs?: number;
  /** Came ahead of these messages, which may be none. */
  readonly listing?: ListingChange;
}

/** One connection to a venue, from its opening to its end. It never opens again: `runConnection` makes the next. */
export interface VenueConnection {
  /**
   * Subscribes to every channel of the instruments that the venue lists. Returns the reason for each other one; those are subscribed
   * once the metadata lists them, which the messages report.
   * @throws VenueError when the metadata can't be read, or the venue refuses the subscription of all
   */
  subscribe(instruments: readonly string[]): Promise<MissingInstruments>;
  /** Ends an instrument's subscriptions and makes them again, where the venue still lists it. Never rejects. */
  resubscribe(instrument: string): Promise<void>;
  /** Read once. Ends when the connection was closed by its owner; throws VenueError when it was lost. */
  messages(): AsyncIterable<MessageBatch>;
  /** Requests a complete book; the answer comes among the messages. Throws VenueError when the venue sends none in time. */
  requestSnapshot(instrument: string): Promise<void>;
  /**
   * Requests what the venue still has of an instrument since a time, milliseconds since the epoch; the answers come among the
   * messages. Never rejects: a request without an answer is logged.
   */
  catchUp(instrument: string, sinceMs: number): Promise<void>;
  /** What was dropped or refused so far. */
  readonly counts: Readonly<ConnectionCounts>;
  /** Gives the connection up as lost: `messages` throws VenueError with the reason. */
  abandon(reason: string): void;
  close(): void;
}

/** Counts of one connection; they only rise. */
export interface ConnectionCounts {
  /** Messages passed on. */
  received: number;
  /** Frames over 1 MiB, none of which was read. */
  oversizedFrames: number;
  /** Book messages that newer ones replaced in a full queue. */
  collapsedBooks: number;
}

/** Where messages come from. */
export interface VenueSource {
  /**
   * Opens one connection.
   * @throws VenueError when the venue does not answer within the deadline, or the signal's reason when it aborts
   */
  connect(signal: AbortSignal): Promise<VenueConnection>;
}

/** The source of receive times; a suite that plays hours in seconds passes its own. */
export interface VenueClock {
  /** Milliseconds since the epoch, whole. */
  nowMs(): number;
}

/** This machine's clock. */
export const systemClock: VenueClock = { nowMs: () => Date.now() };

/** What went wrong between us and a venue. */
type VenueFault =
  /** No connection, or no answer, within the deadline. */
  | 'unreachable'
  /** An open connection ended, no longer answers pings, or brings nothing of a channel. */
  | 'connection_lost'
  /** The venue's answer is unusable: its status, its size, or text that is not JSON. */
  | 'bad_answer';

/** A venue failed. `message` is safe to log and contains only the venue's public names. */
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
