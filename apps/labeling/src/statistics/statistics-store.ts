import type { LateSpan, MinuteInTime } from '@market-state/service-figures';

/** From one run of this service. */
export interface PacketMinute {
  readonly symbol: string;
  readonly minuteMs: number;
  readonly counterId: string;
  /**
   * Start of counting, set in the run's first minute of the symbol and in the first after lost ones; otherwise null.
   */
  readonly sinceMs: number | null;
  readonly inTime: number;
  /** Packets derived from history, or derived again. */
  readonly remade: number;
  readonly closingTickToPacket: readonly number[];
}

export interface GatewayMinute {
  readonly symbol: string;
  readonly minuteMs: number;
  readonly counterId: string;
  readonly packetToGateway: readonly number[];
  readonly closingTickToGateway: readonly number[];
}

export interface DayTotals {
  readonly symbol: string;
  readonly dayMs: number;
  readonly minutes: number;
  readonly gatewayMinutes: number;
  readonly inTime: number;
  readonly remade: number;
}

export interface DayStatistics extends DayTotals {
  readonly closingTickToPacket: readonly number[];
  readonly packetToGateway: readonly number[];
  readonly closingTickToGateway: readonly number[];
}

export interface ChartSpan {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

export interface StatisticsStore {
  /** Uncounted symbols are omitted. */
  countedSince(): Promise<ReadonlyMap<string, number>>;
  /** Replaces earlier values of the same run. */
  writePacketMinutes(minutes: readonly PacketMinute[]): Promise<void>;
  writeGatewayMinutes(minutes: readonly GatewayMinute[]): Promise<void>;
  totals(span: ChartSpan): Promise<readonly DayTotals[]>;
  days(span: ChartSpan): Promise<readonly DayStatistics[]>;
  /** Minutes with fewer windows in time than a full minute has, and spans without data. */
  late(span: ChartSpan, since: ReadonlyMap<string, number>): Promise<{ readonly minutes: MinuteInTime[]; readonly unknown: LateSpan[] }>;
  fold(nowMs: number): Promise<void>;
}
