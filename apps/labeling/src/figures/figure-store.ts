import type { LateSpan, MinuteInTime } from '@market-state/service-figures';

/** What a run of this service counted of one symbol in one minute. */
export interface PacketMinute {
  readonly symbol: string;
  readonly minuteMs: number;
  readonly counterId: string;
  /** Since when the run counts, in its first minute of the symbol and in the first after some that were lost; null in all others. */
  readonly sinceMs: number | null;
  /** Windows whose packet was stored in time. */
  readonly inTime: number;
  /** Packets made of history, or anew. */
  readonly remade: number;
  /** Counts by bucket. */
  readonly closingTickToPacket: readonly number[];
}

/** What a run of a gateway counted of the packets of one symbol in one minute. */
export interface GatewayMinute {
  readonly symbol: string;
  readonly minuteMs: number;
  readonly counterId: string;
  readonly packetToGateway: readonly number[];
  readonly closingTickToGateway: readonly number[];
}

/** Totals of one symbol and UTC day. */
export interface DayTotals {
  readonly symbol: string;
  readonly dayMs: number;
  /** Minutes with figures of this service, and of a gateway. */
  readonly minutes: number;
  readonly gatewayMinutes: number;
  readonly inTime: number;
  readonly remade: number;
}

/** The figures of one symbol and UTC day. */
export interface DayFigures extends DayTotals {
  readonly closingTickToPacket: readonly number[];
  readonly packetToGateway: readonly number[];
  readonly closingTickToGateway: readonly number[];
}

/** Symbols, and instants [fromMs, toMs) that are whole minutes. */
export interface FigureSpan {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** Figures of minutes for 90 days, and of days for ever. */
export interface FigureStore {
  /** Since when each symbol is counted; those that are not are left out. */
  countedSince(): Promise<ReadonlyMap<string, number>>;
  /** Keeps minutes, each in place of what the same run wrote of it before. */
  writePacketMinutes(minutes: readonly PacketMinute[]): Promise<void>;
  writeGatewayMinutes(minutes: readonly GatewayMinute[]): Promise<void>;
  /** Days of the span that have figures, in no order. */
  totals(span: FigureSpan): Promise<readonly DayTotals[]>;
  days(span: FigureSpan): Promise<readonly DayFigures[]>;
  /** Minutes of the span with fewer windows in time than a whole minute has, and spans of which nothing is known. */
  late(span: FigureSpan, since: ReadonlyMap<string, number>): Promise<{ readonly minutes: MinuteInTime[]; readonly unknown: LateSpan[] }>;
  /** Adds up days that are over, and forgets minutes whose time is over. */
  fold(nowMs: number): Promise<void>;
}
