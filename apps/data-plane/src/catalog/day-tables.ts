import type { Channel } from '@market-state/market-data';
import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { SpanDeps } from '../archive/read-span';
import type { Venues } from '../market/venues';
import { DAY_MS, dayOf } from '../store/partitions';
import { readRecorded } from '../store/recorded';
import { readRetention } from '../store/retention';
import { type ChannelDay, channelDays, DAYS_MAX, DAY_CHANNELS, type DaysWanted, keptChannels } from '../window/channel-days';
import { settledInstant } from '../window/kept-from';
import { fromPublicChannels } from '../window/public-channels';

const EVERY_MS = 60_000;
/** A day that is over changes seldom: by rows that come late, by what is told of its gaps, by retention. */
const OVER_EVERY_MS = 600_000;

/** A channel on a UTC day, as the catalog tells it. */
interface TableDay {
  readonly channel: Channel;
  readonly dayMs: number;
  readonly condition: string;
}

interface DayTablesDeps extends SpanDeps {
  readonly venues: Pick<Venues, 'of'>;
  readonly logger: Logger;
  readonly wallNowMs: () => number;
  readonly symbols: readonly string[];
}

/** The condition of every channel by day, kept so that whoever reads it counts nothing. */
export interface DayTables extends Closable {
  /**
   * The last 31 days of a symbol that have begun by an instant (0: now), oldest first, each with every channel: as they were counted in the
   * last minute, those that are over in the last ten. Rejects as `storeFailure` says.
   */
  of(symbol: string, asOfMs: number): Promise<readonly TableDay[]>;
}

interface CountedDay {
  readonly isOver: boolean;
  readonly countedMs: number;
  readonly channels: readonly ChannelDay[];
}

type Table = ReadonlyMap<number, CountedDay>;

/** Begins to count, and counts again every minute. */
export function startDayTables(deps: DayTablesDeps): DayTables {
  const { pool, venues, logger, wallNowMs, symbols } = deps;
  const tables = new Map<string, Table>();

  async function countDay(symbol: string, dayMs: number, asOfMs: number): Promise<readonly ChannelDay[]> {
    const [recorded, retention] = await Promise.all([readRecorded(pool, symbol), readRetention(pool)]);
    const wanted: DaysWanted = { symbol, fromMs: dayMs, toMs: dayMs + DAY_MS, asOfMs, toOrdinal: recorded.ordinal };
    return channelDays(deps, wanted, keptChannels(venues.of(symbol), fromPublicChannels(DAY_CHANNELS), recorded, retention));
  }

  /** Counts what is due of a symbol. */
  async function count(symbol: string): Promise<Table> {
    const recorded = await readRecorded(pool, symbol);
    const asOfMs = settledInstant(recorded, 0);
    const before = tables.get(symbol);
    const table = new Map<number, CountedDay>();
    const lastMs = dayOf(asOfMs);
    const firstMs = Math.max(dayOf(recorded.fromMs ?? lastMs), lastMs - (DAYS_MAX - 1) * DAY_MS);
    for (let dayMs = firstMs; asOfMs > 0 && dayMs <= lastMs; dayMs += DAY_MS) {
      const had = before?.get(dayMs);
      const isDue = had?.isOver !== true || wallNowMs() - had.countedMs >= OVER_EVERY_MS;
      const counted = { isOver: asOfMs >= dayMs + DAY_MS, countedMs: wallNowMs() };
      table.set(dayMs, isDue ? { ...counted, channels: await countDay(symbol, dayMs, asOfMs) } : had);
    }
    tables.set(symbol, table);
    return table;
  }

  async function countAll(): Promise<void> {
    for (const symbol of symbols) await count(symbol);
  }

  /** A day as of an instant within it or after it; only one that has changed since is counted. */
  async function dayAsOf(symbol: string, dayMs: number, { channels }: CountedDay, asOfMs: number): Promise<readonly TableDay[]> {
    if (asOfMs < dayMs + DAY_MS) return channels.map((day) => ({ ...day, condition: isUnreported(day) ? day.condition : 'pending' }));
    const isAsNow = channels.every(({ lastModifiedMs }) => lastModifiedMs !== undefined && lastModifiedMs <= asOfMs);
    return isAsNow ? channels : countDay(symbol, dayMs, asOfMs);
  }

  const counting = repeatUntilClosed(countAll, {
    intervalMs: EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'the days of the catalog cannot be counted; it is tried again'),
  });
  return {
    async of(symbol, asOfMs) {
      const kept = tables.get(symbol);
      // Before anything was recorded there was nothing to count.
      const table = kept === undefined || kept.size === 0 ? await count(symbol) : kept;
      const begun = [...table].filter(([dayMs]) => asOfMs === 0 || dayMs <= asOfMs);
      const days = await Promise.all(begun.map(([dayMs, day]) => (asOfMs === 0 ? day.channels : dayAsOf(symbol, dayMs, day, asOfMs))));
      return days.flat().map(({ channel, dayMs, condition }) => ({ channel, dayMs, condition }));
    },
    close: () => counting.close(),
  };
}

/** Of a channel that the venue does not report nothing changes while the day goes on. */
function isUnreported({ reasons }: ChannelDay): boolean {
  return reasons.includes('channel_not_reported');
}
