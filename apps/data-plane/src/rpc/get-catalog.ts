import type { marketData } from '@market-state/contracts';
import { toProtoSourceKind, toProtoChannel } from '@market-state/live-market';
import { type Channel, CHANNELS, HOUR_MS } from '@market-state/market-data';
import { instantFaults, refuseFaults } from '@market-state/request-checks';
import { expectedRows } from '../store/window-reader';
import { type StoredChannel, readHoursAt, readStoredChannels } from '../store/catalog';
import { readRetention, type Retention } from '../store/retention';
import { toPublicChannel } from '../window/public-channels';
import type { RpcDeps } from './deps';
import featureClasses from './feature-classes.json';

export async function getCatalog(deps: RpcDeps, { asOfMs }: marketData.GetCatalogRequest): Promise<marketData.GetCatalogResponse> {
  refuseFaults(instantFaults('as_of_ms', asOfMs));
  const { symbols } = deps.tail;
  const [kept, storage, retention, tables] = await Promise.all([
    readStored(deps, symbols, asOfMs),
    deps.storageWatch.current(),
    readRetention(deps.pool),
    Promise.all(symbols.map((symbol) => deps.dayTables.of(symbol, asOfMs))),
  ]);
  return {
    symbols: symbols.map((symbol, at) => {
      const venue = deps.venues.of(symbol);
      return {
        symbol,
        venue: venue.venue,
        venueInstrument: venue.venueInstrument,
        sourceKind: toProtoSourceKind(venue.sourceKind),
        channels: CHANNELS.map((channel) => ({
          ...toProtoStored(
            kept.find((each) => each.symbol === symbol && each.channel === channel),
            retention,
            channel,
          ),
          reported: channel === 'control' || venue.channels.includes(channel),
          bytesADay: storage.dailyBytesOf(symbol, channel)?.hot ?? 0,
          stalenessLimitMs: venue.stalenessMs(channel),
          days: tables[at]?.filter((day) => day.channel === channel).map(({ dayMs, condition }) => ({ dayMs, condition })) ?? [],
        })),
      };
    }),
    storage: {
      bytesADay: storage.bytesADay,
      diskFreeBytes: storage.freeBytes ?? 0,
      daysLeft: storage.daysLeft,
      hotDays: deps.storage.hotDays,
      archiveDays: deps.storage.archiveDays,
    },
  };
}

function toProtoStored(kept: StoredChannel | undefined, retention: Retention, channel: Channel) {
  return {
    channel: toPublicChannel(channel),
    firstMs: kept?.firstMs ?? 0,
    lastMs: kept?.lastMs ?? 0,
    rowTotal: kept?.rowTotal ?? 0,
    hotFromMs: Math.max(kept?.firstMs ?? 0, retention.of(channel).hotFromMs),
    archiveHourTotal: kept?.archiveHourTotal ?? 0,
    archiveRowTotal: kept?.archiveRowTotal ?? 0,
    archiveBytes: kept?.archiveBytes ?? 0,
  };
}

/** Uses counts of whole hours; for the hour containing `as of`, counts rows received up to it. */
async function readStored(deps: RpcDeps, symbols: readonly string[], asOfMs: number): Promise<StoredChannel[]> {
  if (asOfMs === 0) return readStoredChannels(deps.pool, symbols, Infinity);
  const [kept, cut] = await Promise.all([readStoredChannels(deps.pool, symbols, asOfMs + 1), readHoursAt(deps.pool, symbols, asOfMs + 1)]);
  const hourMs = Math.floor((asOfMs + 1) / HOUR_MS) * HOUR_MS;
  const parts = await Promise.all(
    cut.map(async ({ symbol, channel, minExchangeMs, maxExchangeMs }) => {
      const span = { symbol, channels: [channel], startMs: minExchangeMs, endMs: maxExchangeMs + 1, toOrdinal: Number.MAX_SAFE_INTEGER };
      const [then, before] = await Promise.all([
        expectedRows(deps, { ...span, asOfMs }),
        expectedRows(deps, { ...span, asOfMs: hourMs - 1 }),
      ]);
      return { symbol, channel, rowTotal: then.rows - before.rows, firstMs: minExchangeMs, lastMs: Math.min(asOfMs, maxExchangeMs) };
    }),
  );
  return [
    ...kept.map((each) => withPart(each, parts)),
    ...parts
      .filter((part) => !kept.some((each) => isSame(each, part)) && part.rowTotal > 0)
      .map((part) => ({ ...NOTHING_ARCHIVED, ...part })),
  ];
}

const NOTHING_ARCHIVED = { archiveHourTotal: 0, archiveRowTotal: 0, archiveBytes: 0 };

type Part = Pick<StoredChannel, 'symbol' | 'channel' | 'rowTotal' | 'lastMs'>;

function withPart(kept: StoredChannel, parts: readonly Part[]): StoredChannel {
  const part = parts.find((each) => isSame(each, kept));
  if (part === undefined || part.rowTotal === 0) return kept;
  return { ...kept, rowTotal: kept.rowTotal + part.rowTotal, lastMs: Math.max(kept.lastMs ?? 0, part.lastMs ?? 0) };
}

function isSame(a: { symbol: string; channel: Channel }, b: { symbol: string; channel: Channel }): boolean {
  return a.symbol === b.symbol && a.channel === b.channel;
}

export async function getRights({ storage }: Pick<RpcDeps, 'storage'>): Promise<marketData.GetRightsResponse> {
  return {
    featureClasses: featureClasses.map(
      ({ feature_class: featureClass, allowed_uses: allowedUses, redistribution, retained_as: publicChannel }) => {
        const channel = CHANNELS.find((each) => toPublicChannel(each) === publicChannel);
        const days = channel === undefined ? storage.packetDays : storage.days[channel];
        return { featureClass, allowedUses, redistribution, hotDays: days.hotDays, archiveDays: days.archiveDays };
      },
    ),
  };
}

/** Works from the instrument table until the log is read. */
export async function listInstruments({ tail, venues }: RpcDeps): Promise<marketData.ListInstrumentsResponse> {
  return {
    instruments: tail.symbols.map((symbol) => {
      const { venue, venueInstrument, contractValue, sourceKind, channels } = venues.of(symbol);
      return {
        symbol,
        venue,
        venueInstrument,
        contractValue: contractValue ?? '',
        sourceKind: toProtoSourceKind(sourceKind),
        channels: channels.map(toProtoChannel),
      };
    }),
  };
}
