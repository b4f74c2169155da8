import type { RowIn, Schemas, View } from '../types';

/** Operations that are streams. */
export type StreamId = 'streamPackets' | 'streamData' | 'streamDataReplay';

/** What is in a message, beside what it is. */
interface Placed<Type extends string, D> {
  readonly type: Type;
  readonly symbol: string;
  /** Where the stream goes on after this message: keep it, and give it as `resumeFrom`. */
  readonly id: string;
  readonly data: D;
}

export type PacketMessage = Placed<'packet', Schemas['StreamPacket'] | Schemas['CompactPacket']>;
export type RowMessage = Placed<'row', Schemas['DataRow']>;
/** With `conflateMs`: the rows of a symbol in one interval, and how many books and clock ticks were left out for newer ones. */
export type ConflatedMessage = Placed<'conflated', Schemas['StreamConflated']>;
/** An entry of the gap ledger: rows are missing there. */
export type GapMessage = Placed<'gap', Schemas['Gap']>;

/** A packet from `replay` that fills what the stream could not resume; the stream's own ids begin again after it. */
export interface BackfillMessage {
  readonly type: 'backfill';
  readonly symbol: string;
  readonly data: Schemas['LatestRow'] | Schemas['CompactPacket'];
}

/** A stored row that fills what the stream could not resume, of the last hour before the stream's own rows begin again. */
export interface RowBackfillMessage {
  readonly type: 'backfill';
  readonly symbol: string;
  readonly data: Schemas['DataRow'];
}

/** This reader was too slow, and these messages were not sent to it. `resumeFrom: data.from_id` has them sent. */
export interface SkippedMessage {
  readonly type: 'skipped';
  readonly symbol: string;
  readonly data: Schemas['StreamSkipped'];
}

/** What came after an id is no longer kept: messages are missing here for good, but for those that follow as `backfill`. */
export interface HoleMessage {
  readonly type: 'hole';
  readonly symbol: string;
  /** The last message before it, of any symbol. */
  readonly afterId: string;
  /** The oldest instant that the service still has; null where it does not say. */
  readonly oldestUtc: string | null;
}

export interface PlanMessage {
  readonly type: 'plan';
  readonly symbol: string;
  readonly data: Schemas['StreamPlan'];
}

/** Whether a replay was whole, for each of its symbols. */
export interface ReceiptMessage {
  readonly type: 'receipt';
  readonly symbol: string;
  readonly data: Schemas['Completeness'];
}

/** The last message. */
export interface EndMessage {
  readonly type: 'end';
  /** As the service says it: `complete`, `partial`, `key_revoked`, `credits_exhausted`. The latter also where `maxCredits` is reached. */
  readonly code: string;
  /** Where a later stream goes on; null where nothing was received. */
  readonly resumeId: string | null;
}

export interface StreamMessages {
  readonly streamPackets: PacketMessage | SkippedMessage | HoleMessage | BackfillMessage | EndMessage;
  readonly streamData: RowMessage | GapMessage | ConflatedMessage | SkippedMessage | HoleMessage | RowBackfillMessage | EndMessage;
  readonly streamDataReplay: PlanMessage | RowMessage | GapMessage | ReceiptMessage | EndMessage;
}

export type StreamMessage = StreamMessages[StreamId];

/** The messages of a stream, which survives cuts of its connection. Leaving the loop closes it. */
export type StreamOf<K extends StreamId, V extends View = View> = AsyncGenerator<MessageIn<StreamMessages[K], V>, void, undefined>;

/** A message whose packet is as a view has it. */
type MessageIn<Message, V extends View> = View extends V
  ? Message
  : Message extends PacketMessage | BackfillMessage
    ? Omit<Message, 'data'> & { readonly data: RowIn<Message['data'], V> }
    : Message;

export interface StreamParamsOf {
  readonly streamPackets: {
    /** One, several (20 at most), or `ALL`, those that are served later too; BTCUSD-PERP by default. */
    readonly symbols?: string | readonly string[];
    readonly view?: 'packet' | 'compact';
    /** The id of the last message had. A symbol that it does not hold begins after the newest window that it holds. */
    readonly resumeFrom?: string;
  };
  readonly streamData: {
    /** One or several, 20 at most; BTCUSD-PERP by default. */
    readonly symbols?: string | readonly string[];
    /** Every channel by default. */
    readonly channels?: readonly string[];
    /** Sends the rows of so many milliseconds, 5,000 at most, as one message `conflated` a symbol; 0, the default, each row by itself. */
    readonly conflateMs?: number;
    /** The id of the last message had. A symbol that it does not hold begins with its next row. */
    readonly resumeFrom?: string;
  };
  readonly streamDataReplay: {
    /** One or several, 20 at most, merged by when their rows were received; BTCUSD-PERP by default. */
    readonly symbols?: string | readonly string[];
    readonly channels?: readonly string[];
    /** RFC 3339 or epoch milliseconds. To resume, as in the plan. */
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
 * How the connection of a stream stands: open, or closed and opened again after so many milliseconds. `cause` is the error that closed
 * it or kept it from opening; undefined where the service ended it.
 */
export type ConnectionStanding =
  | { readonly state: 'open' }
  | { readonly state: 'waiting'; readonly waitMs: number; readonly cause: unknown };

export interface StreamOptions {
  /** Ends the stream: the loop throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Most credits of the stream, of all its connections together; the client's `maxCreditsPerCall` by default. */
  readonly maxCredits?: number;
  /** A connection that is silent for so long, milliseconds, is opened again; 30,000 by default. Heartbeats come every 15 s. */
  readonly silenceMs?: number;
  /** Told when a connection is open, and how long it takes until one that was lost is opened again. */
  readonly onConnection?: (standing: ConnectionStanding) => void;
}
