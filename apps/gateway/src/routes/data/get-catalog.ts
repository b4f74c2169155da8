import type { labeling, marketData } from '@market-state/contracts';
import { TIMEFRAME_NAMES } from '@market-state/export-schema';
import { type ChannelName, refuseBeforeRetention, fromProtoSourceKind } from '../../clients/market-data-client';
import { heldPackets } from '../../clients/packet-client';
import type { ReadDeps } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, toUtcOrNull, parseInstant } from '../../serving/meta/meta';
import { queryPath } from './queries/channel-query';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { documentedWord, type Described } from '../../serving/openapi/document';

const DATA = '/api/public/data';

/** Routes specific to a channel; the replay and stream routes serve all channels. */
const OWN_ROUTES: Readonly<Record<ChannelName, readonly string[]>> = {
  book: [`${DATA}/book/l2/latest`],
  trades: [`${DATA}/trades/latest`, `${DATA}/candles`],
  context: [`${DATA}/context/active-asset`],
  liquidations: [`${DATA}/liquidations/context`],
  control: [`${DATA}/gaps`],
  packets: ['/api/public/market-state/latest'],
};

/** Channels with a daily data condition. */
const HAVE_DAYS: ReadonlySet<ChannelName> = new Set(['book', 'trades', 'context', 'liquidations']);

function routesOf(symbol: string, channel: ChannelName): string[] {
  const shared = ['replay/window', 'stream', 'stream/replay'].map((route) => queryPath(`${DATA}/${route}`, { symbol, channels: channel }));
  const days = HAVE_DAYS.has(channel) ? [queryPath(`${DATA}/condition`, { symbol, channel })] : [];
  return [...OWN_ROUTES[channel].map((route) => queryPath(route, { symbol })), ...days, ...shared];
}

const channelNamed = documentedWord('CatalogChannel', 'channel');
const conditionNamed = documentedWord('CatalogDay', 'condition');

function toChannel(symbol: string, channel: marketData.CatalogChannel): Described<'CatalogChannel'> {
  const name = channelNamed(channel.channel);
  return {
    channel: name,
    reported: channel.reported,
    first_time_utc: toUtcOrNull(channel.firstMs),
    last_time_utc: toUtcOrNull(channel.lastMs),
    row_total: channel.rowTotal,
    hot_from_utc: toUtcOrNull(channel.hotFromMs),
    archive_hour_total: channel.archiveHourTotal,
    archive_row_total: channel.archiveRowTotal,
    archive_bytes: channel.archiveBytes,
    bytes_a_day: channel.bytesADay,
    staleness_limit_ms: channel.stalenessLimitMs === 0 ? null : channel.stalenessLimitMs,
    days: channel.days.map(({ dayMs, condition }) => ({ date: toUtc(dayMs).slice(0, 10), condition: conditionNamed(condition) })),
    routes: routesOf(symbol, name),
  };
}

/** Packets have no rows in the data plane; labeling reports what is retained. */
function packetsChannel(symbol: string, held: labeling.HeldPackets | undefined): Described<'CatalogChannel'> {
  const archive = held?.archive;
  return {
    channel: 'packets',
    reported: true,
    first_time_utc: toUtcOrNull(held?.firstWindowEndMs ?? 0),
    last_time_utc: toUtcOrNull(held?.lastWindowEndMs ?? 0),
    row_total: held?.packetTotal ?? null,
    hot_from_utc: toUtcOrNull(archive?.hotFromWindowEndMs ?? 0),
    archive_hour_total: archive?.hourTotal ?? null,
    archive_row_total: archive?.packetTotal ?? null,
    archive_bytes: archive?.byteTotal ?? null,
    bytes_a_day: null,
    staleness_limit_ms: null,
    days: [],
    routes: routesOf(symbol, 'packets'),
  };
}

function toSymbol(entry: marketData.CatalogSymbol, held: labeling.HeldPackets | undefined): Described<'CatalogSymbol'> {
  const hasTrades = entry.channels.some(({ channel, reported }) => channel === 'trades' && reported);
  return {
    symbol: entry.symbol,
    venue: entry.venue,
    venue_instrument: entry.venueInstrument,
    source_kind: fromProtoSourceKind(entry.sourceKind),
    timeframes: hasTrades ? TIMEFRAME_NAMES : [],
    channels: [...entry.channels.map((channel) => toChannel(entry.symbol, channel)), packetsChannel(entry.symbol, held)],
  };
}

function toStorage(storage: marketData.CatalogStorage): Described<'CatalogStorage'> {
  return {
    bytes_a_day: storage.bytesADay,
    disk_free_bytes: storage.diskFreeBytes,
    days_left: storage.daysLeft === undefined ? null : Math.round(storage.daysLeft * 10) / 10,
    hot_days: storage.hotDays,
    archive_days: storage.archiveDays,
  };
}

export function getCatalog({ marketData: rows, packets, dataHealth, now }: ReadDeps): Handler<'getCatalog'> {
  return async ({ operation, grant, input }) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    if (asOfMs !== 0) await refuseBeforeRetention(rows, null, asOfMs);
    const [catalog, held] = await Promise.all([rows.call.getCatalog({ asOfMs }), heldPackets(packets, asOfMs)]);
    if (catalog.storage === undefined) throw new Error('the data plane returned no storage');
    const symbols = catalog.symbols.map((entry) => toSymbol(entry, held.get(entry.symbol)));
    const served = catalog.symbols.map(({ venue, sourceKind }) => ({ venue, kind: fromProtoSourceKind(sourceKind) }));
    const fields = { symbols, symbol_total: symbols.length, timeframes: TIMEFRAME_NAMES, storage: toStorage(catalog.storage) };
    return jsonRepresentation(
      dataAnswer({ operation, grant }, serviceSource(served, dataHealth, asOfMs === 0 ? now() : Math.min(asOfMs, now())), fields),
    );
  };
}
