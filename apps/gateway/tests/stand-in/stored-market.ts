import { createHash } from 'node:crypto';
import { marketData } from '@market-state/contracts';
import { failedPrecondition, invalidArgument } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { lossOf } from '@market-state/market-data';
import { daysOf } from './stored-days';
import { accuracyOf } from './accuracy';
import type { FollowedMarkets } from './followed-markets';
import { standInGapIncidents } from './statistics';
import { FEED_CLOCK_MS, LOG_START_MS, madeRows } from './made-rows';

type Source = Pick<marketData.GetBookResponse, 'symbol' | 'venue' | 'sourceKind'>;

export interface StoredMarketDeps {
  readonly symbols: readonly string[];
  /** Common start of every call for a symbol. */
  enter(symbol: string, context: CallContext): Promise<Source>;
  reports(symbol: string, channel: marketData.Channel): boolean;
  readonly markets: FollowedMarkets;
}

/** For a seam, a closed gap and an open one. */
const RESOLUTIONS = ['resumed', 'resynced', 'open'];
const GAP_TOTAL = RESOLUTIONS.length;
const DAY_MS = 86_400_000;

function gapOf(symbol: string, index: number): marketData.Gap {
  const startMs = FEED_CLOCK_MS - 200_000 + index * 30_000;
  const isOpen = index === GAP_TOTAL - 1;
  return {
    ...{
      gapId: `gap_${String(index).padStart(26, '0')}`,
      symbol,
      channel: index === 0 ? '' : 'book',
      startMs,
      endMs: isOpen ? 0 : startMs + 5_000,
    },
    ...{ reason: index === 0 ? 'recording_seam' : 'sequence_gap', resolution: RESOLUTIONS[index] ?? 'open', place: undefined },
  };
}

function tokenAt(offset: number): string {
  return Buffer.from(JSON.stringify(['g1', offset])).toString('base64url');
}

function offsetOf(pageToken: string): number {
  if (pageToken === '') return 0;
  const [, offset] = /^\["g1",(\d+)\]$/.exec(Buffer.from(pageToken, 'base64url').toString()) ?? [];
  if (offset === undefined)
    throw invalidArgument([{ field: 'page_token', message: 'does not come from an answer for this symbol', type: 'malformed' }]);
  return Number(offset);
}

function refuseTooOld(instantMs: number): void {
  if (instantMs !== 0 && instantMs < LOG_START_MS)
    throw failedPrecondition('beyond_retention', 'Rows of that time are past retention.', {
      metadata: { oldest_ms: String(LOG_START_MS) },
    });
}

function chainOver(rows: readonly marketData.DataRow[]): string {
  let digest: Buffer = Buffer.alloc(32);
  for (const row of rows)
    digest = createHash('sha256')
      .update(digest)
      .update(row.channel === 'packets' ? row.packetDigest : row.line)
      .digest();
  return digest.toString('hex');
}

/** A message has 1 MiB; a packet about 40 KiB. */
const ROWS_A_MESSAGE = 20;

/** The data plane's stored reads: windows, gap ledger, context, liquidations, catalog, rights. */
export function storedMarket({ symbols, enter, reports, markets }: StoredMarketDeps) {
  return {
    async *readWindow(
      { symbol, startMs, endMs, channels, asOfMs, pageSize, pageToken }: marketData.ReadWindowRequest,
      context: CallContext,
    ): AsyncGenerator<marketData.ReadWindowResponse> {
      const source = await enter(symbol, context);
      refuseTooOld(endMs);
      const offset = offsetOf(pageToken);
      const all = madeRows(symbol, startMs, endMs, channels);
      const sent = all.slice(0, offset + pageSize);
      const rows = sent.slice(offset);
      for (let from = 0; from < rows.length; from += ROWS_A_MESSAGE)
        yield { rows: rows.slice(from, from + ROWS_A_MESSAGE), end: undefined };
      const gaps = Array.from({ length: GAP_TOTAL }, (_gap, index) => gapOf(symbol, index)).filter(
        (gap) => gap.startMs < endMs && (gap.endMs === 0 || gap.endMs > startMs),
      );
      const more = sent.length < all.length;
      const losses = gaps.filter((gap) => lossOf(gap) !== 'none');
      const reasons = [...(more ? ['more_rows_follow'] : []), ...(losses.length > 0 ? ['gaps_in_window'] : [])];
      const completeness = {
        rowsExpected: all.length,
        rowsSent: sent.length,
        gapIds: losses.map(({ gapId }) => gapId),
        rowsSha256: chainOver(sent),
        complete: reasons.length === 0,
        reasons,
      };
      const { venue, sourceKind } = source;
      yield {
        rows: [],
        end: {
          venue,
          sourceKind,
          asOfMs: asOfMs === 0 ? FEED_CLOCK_MS : asOfMs,
          gaps,
          nextPageToken: more ? tokenAt(sent.length) : '',
          completeness,
        },
      };
    },
    async getSourceRows(
      { symbol, windowEndMs, spans }: marketData.GetSourceRowsRequest,
      context: CallContext,
    ): Promise<marketData.GetSourceRowsResponse> {
      await enter(symbol, context);
      const channels = spans.map(({ channel, lengthMs, rowLimit }) => {
        const rows = madeRows(symbol, windowEndMs - lengthMs + 1, windowEndMs + 1, [channel]);
        const inWindow = rows.filter(({ exchangeTsMs }) => exchangeTsMs > windowEndMs - 10_000);
        return { channel, inTimeTotal: rows.length, inWindowTotal: inWindow.length, lateTotal: 0, rows: rows.slice(-rowLimit) };
      });
      return { channels };
    },
    async listGaps(
      { symbol, fromMs, toMs, pageSize, pageToken, asOfMs }: marketData.ListGapsRequest,
      context: CallContext,
    ): Promise<marketData.ListGapsResponse> {
      const source = await enter(symbol, context);
      const offset = offsetOf(pageToken);
      const all = Array.from({ length: GAP_TOTAL }, (_gap, index) => gapOf(symbol, index)).filter(
        (gap) => (toMs === 0 || gap.startMs < toMs) && (gap.endMs === 0 || gap.endMs > fromMs) && (asOfMs === 0 || gap.startMs <= asOfMs),
      );
      const more = offset + pageSize < all.length;
      return {
        ...source,
        gaps: all.slice(offset, offset + pageSize),
        nextPageToken: more ? tokenAt(offset + pageSize) : '',
        asOfMs: Math.min(asOfMs, FEED_CLOCK_MS),
      };
    },
    async listChannelDays(
      { symbol, channels, fromMs, toMs, asOfMs }: marketData.ListChannelDaysRequest,
      context: CallContext,
    ): Promise<marketData.ListChannelDaysResponse> {
      const source = await enter(symbol, context);
      const untilMs = asOfMs === 0 ? FEED_CLOCK_MS : Math.min(asOfMs, FEED_CLOCK_MS);
      const lastMs = Math.min(untilMs, toMs === 0 ? untilMs : toMs - 1);
      const dayMs = Math.floor(lastMs / DAY_MS) * DAY_MS;
      const requested = channels.length === 0 ? ['book', 'trades', 'context', 'liquidations'] : channels;
      const days = requested.map((channel) => ({
        ...{ channel, dayMs, condition: 'pending', reasons: ['day_not_finished', 'sequence_gap'], rowTotal: 86_399 },
        ...{ observedMs: lastMs - dayMs, elapsedMs: lastMs - dayMs + 1, lastModifiedMs: lastMs },
        ...{ gapIds: [gapOf(symbol, 1).gapId], gapTotal: 1 },
      }));
      return { ...source, asOfMs: untilMs, days: fromMs <= lastMs ? days : [] };
    },
    getAccuracy: async (request: marketData.GetAccuracyRequest) => accuracyOf(symbols, request),
    async listIncidents({ filter }: marketData.ListIncidentsRequest, context: CallContext): Promise<marketData.ListIncidentsResponse> {
      const [first = ''] = symbols;
      const symbol = filter?.symbol || first;
      await enter(symbol, context);
      return standInGapIncidents(symbol, filter);
    },
    async getActiveAsset({ symbol }: marketData.GetActiveAssetRequest, context: CallContext): Promise<marketData.GetActiveAssetResponse> {
      const source = await enter(symbol, context);
      const live = markets.reads.context({ symbol });
      if (live !== null) return live;
      const clock = { feedClockMs: FEED_CLOCK_MS, stalenessLimitMs: 120_000 };
      if (!reports(symbol, marketData.Channel.CONTEXT))
        return { ...source, ...clock, reported: false, fundingIntervalHours: 0, freshnessMs: 0 };
      const at = (value: string, ageMs: number) => ({ value, asOfMs: FEED_CLOCK_MS - ageMs });
      return {
        ...{
          ...source,
          ...clock,
          reported: true,
          fundingRate: at('-0.00001250', 400),
          fundingIntervalHours: 8,
          openInterest: at('1200.50', 900),
          freshnessMs: 400,
        },
        ...{
          openInterestUsd: at('120170.05', 900),
          markPrice: at('100.10', 400),
          oraclePrice: at('100.2', 400),
          basisBps: at('-9.98', 400),
          dayVolumeUsd: undefined,
        },
      };
    },
    async getLiquidations(
      { symbol, windowSeconds }: marketData.GetLiquidationsRequest,
      context: CallContext,
    ): Promise<marketData.GetLiquidationsResponse> {
      const source = await enter(symbol, context);
      const live = markets.reads.liquidations({ symbol, windowSeconds });
      if (live !== null) return live;
      if (!reports(symbol, marketData.Channel.LIQUIDATION))
        return {
          ...source,
          reported: false,
          feedClockMs: FEED_CLOCK_MS,
          rows: [],
          eventTotal: 0,
          longNotional: '',
          shortNotional: '',
          largest: undefined,
        };
      const row = (index: number, positionSide: marketData.PositionSide, notional: string): marketData.LiquidationRow => ({
        ...{ liquidationId: `1:${index}`, pass: 1, venueId: String(index), positionSide, price: '100', size: '0.5', notional },
        provenance: marketData.LiquidationProvenance.VENUE_REPORTED,
        exchangeTsMs: FEED_CLOCK_MS - index * 20_000,
      });
      const rows = [row(1, marketData.PositionSide.LONG, '300'), row(2, marketData.PositionSide.SHORT, '100')].filter(
        ({ exchangeTsMs }) => exchangeTsMs > FEED_CLOCK_MS - windowSeconds * 1_000,
      );
      const both = rows.length === 2;
      return {
        ...source,
        reported: true,
        feedClockMs: FEED_CLOCK_MS,
        rows,
        eventTotal: rows.length,
        longNotional: '300',
        shortNotional: both ? '100' : '0',
        largest: rows[0],
      };
    },
    async getCatalog(): Promise<marketData.GetCatalogResponse> {
      const channel = (symbol: string, name: string, kind: marketData.Channel): marketData.CatalogChannel => {
        const reported = kind === marketData.Channel.CONTROL || reports(symbol, kind);
        const kept = reported
          ? {
              firstMs: LOG_START_MS,
              lastMs: FEED_CLOCK_MS,
              rowTotal: 1_000,
              archiveHourTotal: 4,
              archiveRowTotal: 400,
              archiveBytes: 20_000,
              bytesADay: 90_000,
            }
          : { firstMs: 0, lastMs: 0, rowTotal: 0, archiveHourTotal: 0, archiveRowTotal: 0, archiveBytes: 0, bytesADay: 0 };
        return {
          channel: name,
          reported,
          ...kept,
          hotFromMs: 0,
          stalenessLimitMs: kind === marketData.Channel.BOOK ? 5_000 : 0,
          days: daysOf(name),
        };
      };
      return {
        symbols: symbols.map((symbol) => ({
          ...{
            symbol,
            venue: 'binance-coinm',
            venueInstrument: symbol,
            sourceKind: symbol.startsWith('SIM') ? marketData.SourceKind.SIMULATED : marketData.SourceKind.RECORDED,
          },
          channels: [
            channel(symbol, 'book', marketData.Channel.BOOK),
            channel(symbol, 'trades', marketData.Channel.TRADE),
            channel(symbol, 'context', marketData.Channel.CONTEXT),
            channel(symbol, 'liquidations', marketData.Channel.LIQUIDATION),
            channel(symbol, 'control', marketData.Channel.CONTROL),
          ],
        })),
        storage: { bytesADay: 1_000_000, diskFreeBytes: 5_000_000_000, daysLeft: undefined, hotDays: 3, archiveDays: 30 },
      };
    },
    async getRejections({ symbol }: marketData.GetRejectionsRequest, context: CallContext): Promise<marketData.GetRejectionsResponse> {
      await enter(symbol, context);
      return { rejectedTotal: { crossed_book: 2, one_sided_book: 1 }, countedSinceMs: LOG_START_MS };
    },
    async getRights(): Promise<marketData.GetRightsResponse> {
      return {
        featureClasses: [
          {
            featureClass: 'book',
            allowedUses: ['monitoring', 'replay'],
            redistribution: 'not_included_by_default',
            hotDays: 3,
            archiveDays: 30,
          },
        ],
      };
    },
  };
}
