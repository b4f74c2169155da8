import type { RowIn, Schemas, View } from '../types';

export type StreamId = 'streamPackets' | 'streamData' | 'streamDataReplay';

interface Placed<Type extends string, D> {
  readonly type: Type;
  readonly symbol: string;
  /** Position after this message: store it and pass it as `resumeFrom`. */
  readonly id: string;
  readonly data: D;
}

export type PacketMessage = Placed<'packet', Schemas['StreamPacket'] | Schemas['CompactPacket']>;
export type RowMessage = Placed<'row', Schemas['DataRow']>;
/** Rows of a symbol in one interval of `conflateMs`, and the number of books and clock ticks dropped for newer ones. */
export type ConflatedMessage = Placed<'conflated', Schemas['StreamConflated']>;
/** Entry of the gap ledger: rows are missing here. */
export type GapMessage = Placed<'gap', Schemas['Gap']>;

/** Packet of `replay` that fills a gap the stream could not resume over; the stream's own ids follow. */
export interface BackfillMessage {
  readonly type: 'backfill';
  readonly symbol: string;
  readonly data: Schemas['LatestRow'] | Schemas['CompactPacket'];
}

/** Stored row that fills a gap the stream could not resume over: at most an hour before its own rows follow. */
export interface RowBackfillMessage {
  readonly type: 'backfill';
  readonly symbol: string;
  readonly data: Schemas['DataRow'];
}

/** Messages dropped because this reader was too slow. `resumeFrom: data.from_id` fetches them. */
export interface SkippedMessage {
  readonly type: 'skipped';
  readonly symbol: string;
  readonly data: Schemas['StreamSkipped'];
}

/** Messages after `afterId` are past retention and lost, except those that follow as `backfill`. */
export interface HoleMessage {
  readonly type: 'hole';
  readonly symbol: string;
  /** Last message before the gap, of any symbol. */
  readonly afterId: string;
  /** Oldest instant still available; null if the service does not report it. */
  readonly oldestUtc: string | null;
}

export interface PlanMessage {
  readonly type: 'plan';
  readonly symbol: string;
  readonly data: Schemas['StreamPlan'];
}

/** Completeness of a replay, one per symbol. */
export interface ReceiptMessage {
  readonly type: 'receipt';
  readonly symbol: string;
  readonly data: Schemas['Completeness'];
}

/** Last message. */
export interface EndMessage {
  readonly type: 'end';
  /**
   * Such as `complete`, `partial`, `key_revoked` or `credits_exhausted`, which also means that `maxCredits` is reached.
   */
  readonly code: string;
  /** Id to resume from; null if nothing was received. */
  readonly resumeId: string | null;
}

export interface StreamMessages {
  readonly streamPackets: PacketMessage | SkippedMessage | HoleMessage | BackfillMessage | EndMessage;
  readonly streamData: RowMessage | GapMessage | ConflatedMessage | SkippedMessage | HoleMessage | RowBackfillMessage | EndMessage;
  readonly streamDataReplay: PlanMessage | RowMessage | GapMessage | ReceiptMessage | EndMessage;
}

export type StreamMessage = StreamMessages[StreamId];

/** Reconnects after interruptions. Leaving the loop closes it. */
export type StreamOf<K extends StreamId, V extends View = View> = AsyncGenerator<MessageIn<StreamMessages[K], V>, void, undefined>;

/** Message with its packet in the given view. */
type MessageIn<Message, V extends View> = View extends V
  ? Message
  : Message extends PacketMessage | BackfillMessage
    ? Omit<Message, 'data'> & { readonly data: RowIn<Message['data'], V> }
    : Message;

export interface StreamParamsOf {
  readonly streamPackets: {
    /** Up to 20, or `ALL`, which includes symbols added later; BTCUSD-PERP by default. */
    readonly symbols?: string | readonly string[];
    readonly view?: 'packet' | 'compact';
    /** Id of the last message received. A symbol missing from it starts after its newest window. */
    readonly resumeFrom?: string;
  };
  readonly streamData: {
    /** Up to 20; BTCUSD-PERP by default. */
    readonly symbols?: string | readonly string[];
    /** All channels by default. */
    readonly channels?: readonly string[];
    /**
     * Milliseconds up to 5,000: combines the rows of each interval into one `conflated` message per symbol. 0, the
     * default, sends each row.
     */
    readonly conflateMs?: number;
    /** Id of the last message received. A symbol missing from it starts with its next row. */
    readonly resumeFrom?: string;
  };
  readonly streamDataReplay: {
    /** Up to 20, merged by receive time; BTCUSD-PERP by default. */
    readonly symbols?: string | readonly string[];
    readonly channels?: readonly string[];
    /** RFC 3339 or epoch milliseconds. The plan has the values to resume with. */
    readonly start?: string | number;
    readonly end?: string | number;
    readonly as_of?: string | number;
    /** 1 to 100, or `max`. */
    readonly speed?: string | number;
    readonly resumeFrom?: string;
  };
}

export type StreamParams<K extends StreamId> = StreamParamsOf[K];

/**
 * Open, or waiting `waitMs` to reopen. `cause` closed the connection or kept it from opening; undefined if the service
 * ended it.
 */
export type ConnectionStatus = { readonly state: 'open' } | { readonly state: 'waiting'; readonly waitMs: number; readonly cause: unknown };

/** @deprecated Former name of {@link ConnectionStatus}, until 2027-05-28. */
export type ConnectionStanding = ConnectionStatus;

export interface StreamOptions {
  /** Ends the stream: the loop throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** For all connections of the stream; the client's `maxCreditsPerCall` by default. */
  readonly maxCredits?: number;
  /** Milliseconds of silence before a connection is reopened; 30,000 by default. Heartbeats arrive every 15 s. */
  readonly silenceMs?: number;
  readonly onConnection?: (standing: ConnectionStatus) => void;
}
