import type { EventFilter, EventOrder, EventPlace, EventRecord } from './event';
import type { FeedbackTotals } from '../feedback/feedback';

/** What is kept of the packets of a symbol, in the database and in the archive. Times are window ends. */
export interface HeldPackets {
  readonly symbol: string;
  /** Undefined where there is no packet. */
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  readonly total: number;
  readonly archive: ArchiveTotals;
}

/** What the archive holds of one kind of row of a symbol. */
export interface ArchiveTotals {
  readonly hourTotal: number;
  readonly rowTotal: number;
  /** Undefined where the size of a file is not known. */
  readonly byteTotal: number | undefined;
  /** Rows of windows that end before it are in the archive alone; 0 where none is. */
  readonly hotFromMs: number;
}

/** The windows whose packets are planned. */
export type PacketHoursFilter = Pick<EventFilter, 'fromMs' | 'toMs' | 'asOfMs'> & { readonly symbol: string };

/** Packets of one symbol whose windows end in one hour. */
export interface PacketHour {
  readonly hourMs: number;
  /** Those of the span. */
  readonly rowTotal: number;
  /** Absent where the hour is not archived. */
  readonly file: { readonly key: string; readonly sha256: string; readonly bytes: number } | undefined;
}

/** Where the packets of a span are. */
export interface PacketHours {
  /** Oldest first; hours without a packet of the span are left out. */
  readonly hours: readonly PacketHour[];
  /** Window end of the oldest packet that is kept; undefined where there is none. */
  readonly keptFromMs: number | undefined;
}

/** How steady one state was. A span is a run of packets in one state whose windows touch. */
interface StateStability {
  readonly state: string;
  readonly packetTotal: number;
  readonly spanTotal: number;
  /** Spans that begin and end with a change of state. */
  readonly wholeSpanTotal: number;
  /** Of whole spans, seconds; null where there is none. */
  readonly dwellMeanS: number | null;
  readonly dwellMedianS: number | null;
  /** Of every span. */
  readonly dwellLongestS: number;
  readonly exitTotal: number;
  readonly nearThresholdTotal: number;
  /** What followed each of its packets. */
  readonly transitions: readonly { readonly toState: string; readonly total: number }[];
  readonly feedback: FeedbackTotals;
}

export interface Stability {
  readonly packetTotal: number;
  /** Packets that another follows. */
  readonly pairTotal: number;
  /** The most frequent first. */
  readonly states: readonly StateStability[];
}

/** Reads the index of events. */
export interface EventIndex {
  /** Events beyond a place (null: from the first on), at most `count`. */
  list(filter: EventFilter, order: EventOrder, beyond: EventPlace | null, count: number): Promise<EventRecord[]>;
  /** How steady the published states of a window were. */
  stability(window: Pick<EventFilter, 'symbol' | 'fromMs' | 'toMs' | 'asOfMs'>): Promise<Stability>;
  /** How many packets each hour of a span has, and the file of those that are archived. */
  hours(span: PacketHoursFilter): Promise<PacketHours>;
  /** What is kept of the packets of each of these symbols, in their order. @param asOfMs what was known by then; null: now */
  held(symbols: readonly string[], asOfMs: number | null): Promise<HeldPackets[]>;
}
