import { randomUUID } from 'node:crypto';
import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { countLatency, isInTime, MINUTE_MS, minuteOf, minuteOfWindow, WINDOW_MS } from '@market-state/service-figures';
import type { StoredPacket } from '../packets/packet';
import type { FigureStore, PacketMinute } from './figure-store';

/** A packet that is stored so long after the tick that closed its window is history that is being filled, milliseconds. */
const HISTORY_MS = 60_000;

/** Minutes are written so often, and once more at the end: so much is lost at most, milliseconds. */
const WRITE_EVERY_MS = 30_000;

/** So long after its beginning nothing is added to a minute any more, milliseconds. */
const OPEN_MS = 5 * MINUTE_MS;

/** Minutes that could not be written are kept for so long, milliseconds. */
const WAITING_MS = 60 * MINUTE_MS;

/** Counts packets as they are stored. */
export interface PacketFigures extends Closable {
  /** Counts packets that have been stored now, and were not stored before. */
  stored(packets: readonly Pick<StoredPacket, 'symbol' | 'windowEndMs' | 'knownTsMs' | 'generatedTsMs'>[]): void;
  /** Writes what has been counted. Rejects as the store does; what could not be written is written the next time. */
  write(): Promise<void>;
}

interface PacketFiguresDeps {
  readonly store: Pick<FigureStore, 'writePacketMinutes'>;
  /** Since when the symbols that this process labels are counted, as it is stored: those begin at once. */
  readonly counted: ReadonlyMap<string, number>;
  /** Wall clock, milliseconds since the epoch. */
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
  /** Windows that ended before it are none that this run could have had in time. */
  readonly sinceMs: number;
  /** The first minute that has no place in `minutes` yet. */
  nextMs: number;
  /** What that minute says of since when it is counted. */
  nextSinceMs: number | null;
  readonly minutes: Map<number, Counted>;
}

/**
 * Counts by the minute in which a window ends: packets in time, and how long they took. A symbol is counted from its first packet in time
 * on, and then for ever, so that a minute without packets has its figures too. What is made of history, and of windows that ended before
 * this process counted, is counted apart.
 */
export function createPacketFigures({ store, counted, clock, logger }: PacketFiguresDeps): PacketFigures {
  const counterId = randomUUID();
  const startedMs = clock();
  const bySymbol = new Map<string, OfSymbol>([...counted.keys()].map((symbol) => [symbol, begun(startedMs)]));

  function stored(packets: Parameters<PacketFigures['stored']>[0]): void {
    const nowMs = clock();
    for (const packet of packets) count(packet, nowMs);
  }

  function count({ symbol, windowEndMs, knownTsMs, generatedTsMs }: Parameters<PacketFigures['stored']>[0][number], nowMs: number): void {
    const inTime = isInTime(windowEndMs, nowMs);
    const known = bySymbol.get(symbol);
    if (known === undefined && !inTime) return;
    const ofSymbol = known ?? begun(windowEndMs - WINDOW_MS);
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
    onError: (error) => logger.warn({ err: error }, 'figures of packets are not written yet'),
  });
  return {
    stored,
    write,
    async close() {
      await writing.close();
      await write().catch((error: unknown) => logger.error({ err: error }, 'the last figures of packets are lost'));
    },
  };
}

function begun(sinceMs: number): OfSymbol {
  return { sinceMs, nextMs: minuteOf(sinceMs), nextSinceMs: sinceMs, minutes: new Map() };
}

/** Gives every minute up to an instant its place. Where the clock jumped or the process slept for long, counting begins anew. */
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

/** What is counted of a minute; of one before the first, it begins there. */
function minuteAt({ minutes }: OfSymbol, minuteMs: number): Counted {
  const known = minutes.get(minuteMs) ?? emptyMinute(minuteMs);
  minutes.set(minuteMs, known);
  return known;
}

function emptyMinute(sinceMs: number | null): Counted {
  return { sinceMs, inTime: 0, remade: 0, closingTickToPacket: [], isWritten: false };
}

/** Forgets minutes that are written and over, and those that have waited for too long: then the next says since when it counts. */
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
