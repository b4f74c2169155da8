import { type Channel, DAY_MS } from '@market-state/market-data';
import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { SpanDeps } from '../archive/read-span';
import type { Venues } from '../market/venues';
import { dayOf } from '../store/partitions';
import { readRecorded } from '../store/recorded';
import { readRetention } from '../store/retention';
import { type ChannelDay, channelDays, DAYS_MAX, DAY_CHANNELS, type DaysWanted, keptChannels } from '../window/channel-days';
import { settledInstant } from '../window/window';
import { fromPublicChannels } from '../window/public-channels';

const EVERY_MS = 60_000;
/** Past days change rarely: late rows, gap updates, retention. */
const OVER_EVERY_MS = 600_000;

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

export interface DayTables extends Closable {
  /**
   * Last 31 days started by `asOfMs` (0: now), oldest first. At most a minute old; past days at most ten. Rejects as
   * `storeFailure`.
   */
  of(symbol: string, asOfMs: number): Promise<readonly TableDay[]>;
}

interface CountedDay {
  readonly isOver: boolean;
  readonly countedMs: number;
  readonly channels: readonly ChannelDay[];
}

type Table = ReadonlyMap<number, CountedDay>;

export function startDayTables(deps: DayTablesDeps): DayTables {
  const { pool, venues, logger, wallNowMs, symbols } = deps;
  const tables = new Map<string, Table>();

  async function countDay(symbol: string, dayMs: number, asOfMs: number): Promise<readonly ChannelDay[]> {
    const [recorded, retention] = await Promise.all([readRecorded(pool, symbol), readRetention(pool)]);
    const wanted: DaysWanted = { symbol, fromMs: dayMs, toMs: dayMs + DAY_MS, asOfMs, toOrdinal: recorded.ordinal };
    return channelDays(deps, wanted, keptChannels(venues.of(symbol), fromPublicChannels(DAY_CHANNELS), recorded, retention));
  }

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

  async function dayAsOf(symbol: string, dayMs: number, { channels }: CountedDay, asOfMs: number): Promise<readonly TableDay[]> {
    if (asOfMs < dayMs + DAY_MS) return channels.map((day) => ({ ...day, condition: isUnreported(day) ? day.condition : 'pending' }));
    const isAsNow = channels.every(({ lastModifiedMs }) => lastModifiedMs !== undefined && lastModifiedMs <= asOfMs);
    return isAsNow ? channels : countDay(symbol, dayMs, asOfMs);
  }

  const counting = repeatUntilClosed(countAll, {
    intervalMs: EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'counting the days of the catalog failed; retrying'),
  });
  return {
    async of(symbol, asOfMs) {
      const kept = tables.get(symbol);
      // Nothing was recorded yet at the last count.
      const table = kept === undefined || kept.size === 0 ? await count(symbol) : kept;
      const started = [...table].filter(([dayMs]) => asOfMs === 0 || dayMs <= asOfMs);
      const days = await Promise.all(started.map(([dayMs, day]) => (asOfMs === 0 ? day.channels : dayAsOf(symbol, dayMs, day, asOfMs))));
      return days.flat().map(({ channel, dayMs, condition }) => ({ channel, dayMs, condition }));
    },
    close: () => counting.close(),
  };
}

/** An unprovided channel cannot change during the day. */
function isUnreported({ reasons }: ChannelDay): boolean {
  return reasons.includes('channel_not_reported');
}
