import { randomUUID } from 'node:crypto';
import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import {
  countLatency,
  isInTime,
  MINUTE_MS,
  minuteOf,
  minuteOfWindow,
  WINDOW_MS,
  type LateSpan,
  type MinuteInTime,
} from '@market-state/service-figures';
import type { StoredPacket } from './packet';

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

interface GatewayMinute {
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

/** Packets stored later than this after their closing tick count as history. */
const HISTORY_MS = 60_000;

/** Write interval, and therefore the maximum loss. */
const WRITE_EVERY_MS = 30_000;

/** A minute is final this long after its start. */
const OPEN_MS = 5 * MINUTE_MS;

const WAITING_MS = 60 * MINUTE_MS;

export interface PacketStatistics extends Closable {
  stored(packets: readonly Pick<StoredPacket, 'symbol' | 'windowEndMs' | 'knownTsMs' | 'generatedTsMs'>[]): void;
  /** Rejects as the store does; unwritten counts are retried. */
  write(): Promise<void>;
}

interface PacketStatisticsDeps {
  readonly store: Pick<StatisticsStore, 'writePacketMinutes'>;
  readonly counted: ReadonlyMap<string, number>;
  readonly clock: () => number;
  readonly logger: Logger;
}

interface Counted {
  sinceMs: number | null;
  inTime: number;
  remade: number;
  readonly closingTickToPacket: number[];
  isWritten: boolean;
}

interface OfSymbol {
  /** Windows that ended earlier could not have been in time in this run. */
  readonly sinceMs: number;
  nextMs: number;
  nextSinceMs: number | null;
  readonly minutes: Map<number, Counted>;
}

/**
 * Counts packets in time and their latencies by the minute in which a window ends. A symbol is counted from its first
 * packet in time and never stops, so that minutes without packets have statistics too. Packets from history, or of
 * windows before this process counted, are counted separately.
 */
export function createPacketStatistics({ store, counted, clock, logger }: PacketStatisticsDeps): PacketStatistics {
  const counterId = randomUUID();
  const startedMs = clock();
  const bySymbol = new Map<string, OfSymbol>([...counted.keys()].map((symbol) => [symbol, emptyCounts(startedMs)]));

  function stored(packets: Parameters<PacketStatistics['stored']>[0]): void {
    const nowMs = clock();
    for (const packet of packets) count(packet, nowMs);
  }

  function count(
    { symbol, windowEndMs, knownTsMs, generatedTsMs }: Parameters<PacketStatistics['stored']>[0][number],
    nowMs: number,
  ): void {
    const inTime = isInTime(windowEndMs, nowMs);
    const known = bySymbol.get(symbol);
    if (known === undefined && !inTime) return;
    const ofSymbol = known ?? emptyCounts(windowEndMs - WINDOW_MS);
    bySymbol.set(symbol, ofSymbol);
    fillUpTo(ofSymbol, nowMs);
    if (nowMs - knownTsMs > HISTORY_MS || (!inTime && windowEndMs <= ofSymbol.sinceMs)) {
      const minute = minuteAt(ofSymbol, minuteOf(nowMs));
      minute.remade += 1;
      minute.isWritten = false;
      return;
    }
    const minute = minuteAt(ofSymbol, minuteOfWindow(windowEndMs));
    if (inTime) minute.inTime += 1;
    countLatency(minute.closingTickToPacket, generatedTsMs - knownTsMs);
    minute.isWritten = false;
  }

  async function write(): Promise<void> {
    const nowMs = clock();
    for (const ofSymbol of bySymbol.values()) {
      fillUpTo(ofSymbol, nowMs);
      dropOld(ofSymbol, nowMs);
    }
    const waiting = [...bySymbol].flatMap(([symbol, { minutes }]) =>
      [...minutes].filter(([, { isWritten }]) => !isWritten).map(([minuteMs, minute]) => ({ symbol, minuteMs, minute })),
    );
    if (waiting.length === 0) return;
    const rows = waiting.map(({ symbol, minuteMs, minute }): PacketMinute => {
      const { sinceMs, inTime, remade, closingTickToPacket } = minute;
      return { symbol, minuteMs, counterId, sinceMs, inTime, remade, closingTickToPacket };
    });
    for (const { minute } of waiting) minute.isWritten = true;
    try {
      await store.writePacketMinutes(rows);
    } catch (error) {
      for (const { minute } of waiting) minute.isWritten = false;
      throw error;
    }
  }

  const writing = repeatUntilClosed(write, {
    intervalMs: WRITE_EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'packet statistics not written yet; retrying'),
  });
  return {
    stored,
    write,
    async close() {
      await writing.close();
      await write().catch((error: unknown) => logger.error({ err: error }, 'last packet statistics were lost'));
    },
  };
}

function emptyCounts(sinceMs: number): OfSymbol {
  return { sinceMs, nextMs: minuteOf(sinceMs), nextSinceMs: sinceMs, minutes: new Map() };
}

/** Adds entries for every minute up to a time. After a clock jump or long suspension, counting restarts. */
function fillUpTo(ofSymbol: OfSymbol, nowMs: number): void {
  const lastMs = minuteOf(nowMs);
  if (lastMs - ofSymbol.nextMs > WAITING_MS) {
    ofSymbol.nextMs = lastMs;
    ofSymbol.nextSinceMs = nowMs;
  }
  for (; ofSymbol.nextMs <= lastMs; ofSymbol.nextMs += MINUTE_MS) {
    ofSymbol.minutes.set(ofSymbol.nextMs, emptyMinute(ofSymbol.nextSinceMs));
    ofSymbol.nextSinceMs = null;
  }
}

function minuteAt({ minutes }: OfSymbol, minuteMs: number): Counted {
  const known = minutes.get(minuteMs) ?? emptyMinute(minuteMs);
  minutes.set(minuteMs, known);
  return known;
}

function emptyMinute(sinceMs: number | null): Counted {
  return { sinceMs, inTime: 0, remade: 0, closingTickToPacket: [], isWritten: false };
}

/** Drops minutes that are written and final, or expired; the next minute then has a new `sinceMs`. */
function dropOld({ minutes }: OfSymbol, nowMs: number): void {
  let isLost = false;
  for (const [minuteMs, minute] of minutes) {
    const ageMs = nowMs - minuteMs;
    if (ageMs > WAITING_MS && !minute.isWritten) {
      minutes.delete(minuteMs);
      isLost = true;
    } else if (ageMs > OPEN_MS && minute.isWritten) minutes.delete(minuteMs);
    else if (isLost) {
      minute.sinceMs ??= minuteMs;
      minute.isWritten = false;
      isLost = false;
    }
  }
}
