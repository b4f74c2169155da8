import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { toProtoSource } from '@market-state/live-market';
import { cutPage, readToken, writeToken } from '@market-state/page-token';
import { instantFaults, optionalSpanFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { type GapCursor, listGapRows, listLongGaps } from '../store/gaps';
import { toProtoGap } from '../window/sent-rows';
import { type RpcDeps, refuseUnserved, settledAsOf } from './deps';
import { dayOf } from '../store/partitions';
import { readRecorded } from '../store/recorded';
import { readRetention } from '../store/retention';
import { type ChannelDay, channelDays, DAY_CHANNELS, DAYS_MAX, type DaySpan, daySpanFaults, keptChannels } from '../window/channel-days';
import { settledInstant } from '../window/window';
import { fromPublicChannels, toPublicChannel } from '../window/public-channels';
import { fromIncidentFilter, toProtoIncident } from '@market-state/incidents';
import { incidentPage, GAP_INCIDENT_MS, gapIncident, type Incident, incidentOf } from '@market-state/service-figures';
import type { Pool } from 'pg';
import { differencesOf, largestOf } from '../audit/differences';
import { readDifferenceRuns, AUDIT_KEPT_DAYS, type AuditDay, type DifferenceRun, readAuditDays } from '../store/audit-results';
import { DAY_MS } from '@market-state/market-data';

const PAGE_SIZE_MAX = 1_000;
const PAGE_SIZE = 100;

export async function listGaps(deps: RpcDeps, request: marketData.ListGapsRequest): Promise<marketData.ListGapsResponse> {
  refuseGapsRequest(request);
  const { symbol, fromMs, toMs, asOfMs } = request;
  refuseUnserved(deps, symbol);
  const pageSize = request.pageSize || PAGE_SIZE;
  const after = gapCursorOf(request);
  const ledgerMs = after?.ledgerMs ?? (await settledAsOf(deps, symbol, asOfMs));
  const gaps = await listGapRows(deps.pool, {
    symbol,
    fromMs,
    toMs: toMs || Infinity,
    asOfMs: asOfMs === 0 ? Infinity : ledgerMs,
    after,
    limit: pageSize + 1,
  });
  const { page, nextPageToken } = cutPage(gaps, pageSize, (last) => gapTokenOf(request, ledgerMs, last));
  const venue = deps.venues.of(symbol);
  return {
    symbol,
    ...toProtoSource(venue),
    gaps: page.map((gap) => toProtoGap(gap)),
    nextPageToken,
    asOfMs: ledgerMs,
  };
}

function refuseGapsRequest(request: marketData.ListGapsRequest): void {
  const { symbol, fromMs, toMs, pageSize, pageToken, asOfMs } = request;
  const token: Fault[] =
    pageToken === '' || gapCursorOf(request) !== undefined
      ? []
      : [{ field: 'page_token', message: 'does not come from a response for this symbol and span', type: 'malformed' }];
  refuseFaults(
    symbolFaults(symbol),
    optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]),
    pageSize === 0 ? [] : rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX),
    instantFaults('as_of_ms', asOfMs),
    token,
  );
}

const GAP_TOKEN = z.tuple([
  z.literal('g1'),
  z.string(),
  z.int(),
  z.int(),
  z.int(),
  z.int(),
  z.int(),
  z.string().regex(/^gap_[0-9A-Za-z_]{1,60}$/),
]);

function gapTokenOf({ symbol, fromMs, toMs, asOfMs }: marketData.ListGapsRequest, ledgerMs: number, { startMs, gapId }: GapCursor): string {
  return writeToken(['g1', symbol, fromMs, toMs, asOfMs, ledgerMs, startMs, gapId]);
}

/** Undefined unless it belongs to the same symbol and span. */
function gapCursorOf({ pageToken, ...request }: marketData.ListGapsRequest): (GapCursor & { readonly ledgerMs: number }) | undefined {
  const values = readToken(GAP_TOKEN, pageToken);
  if (values === undefined) return undefined;
  const [, symbol, fromMs, toMs, asOfMs, ledgerMs, startMs, gapId] = values;
  const isBound = symbol === request.symbol && fromMs === request.fromMs && toMs === request.toMs && asOfMs === request.asOfMs;
  return isBound ? { startMs, gapId, ledgerMs } : undefined;
}

const GAP_IDS_MAX = 100;

export async function listChannelDays(
  deps: RpcDeps,
  request: marketData.ListChannelDaysRequest,
): Promise<marketData.ListChannelDaysResponse> {
  const { symbol, channels } = request;
  refuseFaults(
    symbolFaults(symbol),
    dayChannelFaults(channels),
    instantFaults('as_of_ms', request.asOfMs),
    optionalSpanFaults(['from_ms', request.fromMs], ['to_ms', request.toMs]),
    request.toMs === 0 ? [] : daySpanFaults(daySpanOf(request, 0, 0)),
  );
  refuseUnserved(deps, symbol);
  const [recorded, retention] = await Promise.all([readRecorded(deps.pool, symbol), readRetention(deps.pool)]);
  const venue = deps.venues.of(symbol);
  const asOfMs = settledInstant(recorded, request.asOfMs);
  const kept = keptChannels(venue, fromPublicChannels(channels.length === 0 ? DAY_CHANNELS : channels), recorded, retention);
  const span = daySpanOf(request, asOfMs, recorded.fromMs ?? 0);
  refuseFaults(daySpanFaults(span));
  const wanted = { symbol, fromMs: span.firstDayMs, toMs: span.lastDayMs + DAY_MS, asOfMs, toOrdinal: recorded.ordinal };
  const days = asOfMs === 0 ? [] : await channelDays(deps, wanted, kept);
  return {
    symbol,
    ...toProtoSource(venue),
    asOfMs,
    days: kept.flatMap(({ channel }) => days.filter((day) => day.channel === channel)).map(toProtoDay),
  };
}

function dayChannelFaults(channels: readonly string[]): Fault[] {
  const isKnown = channels.every((channel) => DAY_CHANNELS.includes(channel)) && new Set(channels).size === channels.length;
  return isKnown
    ? []
    : [{ field: 'channels', message: `must contain only ${DAY_CHANNELS.join(', ')}, each at most once`, type: 'unknown_value' }];
}

/** Default end: the response time; default start: the first recorded day at the earliest. */
function daySpanOf({ fromMs, toMs }: marketData.ListChannelDaysRequest, asOfMs: number, firstMs: number): DaySpan {
  const lastDayMs = dayOf(toMs === 0 ? asOfMs : toMs - 1);
  return { firstDayMs: fromMs === 0 ? Math.max(dayOf(firstMs), lastDayMs - (DAYS_MAX - 1) * DAY_MS) : dayOf(fromMs), lastDayMs };
}

function toProtoDay(day: ChannelDay): marketData.ChannelDay {
  const { channel, dayMs, condition, reasons, rows, observedMs, elapsedMs, gapIds, lastModifiedMs = 0 } = day;
  return {
    channel: toPublicChannel(channel),
    dayMs,
    condition,
    reasons: [...reasons],
    rowTotal: rows,
    observedMs,
    elapsedMs,
    gapIds: gapIds.slice(0, GAP_IDS_MAX),
    gapTotal: gapIds.length,
    lastModifiedMs,
  };
}

interface IncidentDeps {
  readonly pool: Pool;
}

interface IncidentSpan {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

type IncidentSource = (deps: IncidentDeps, span: IncidentSpan) => Promise<readonly Incident[]>;

const gapIncidents: IncidentSource = async ({ pool }, { symbols, fromMs, toMs, nowMs }) => {
  const gaps = await listLongGaps(pool, { symbols, fromMs, toMs, nowMs, lengthMsMin: GAP_INCIDENT_MS });
  return gaps.flatMap((gap) => gapIncident(gap, nowMs) ?? []);
};

/** A difference found before the span can last into it without a run in it, so all earlier runs count. */
const auditIncidents: IncidentSource = async ({ pool }, { symbols, toMs, nowMs }) => {
  const runs = await readDifferenceRuns(pool, { symbols, fromMs: 0, toMs, asOfMs: nowMs });
  return differencesOf(runs).map(({ differenceId, symbol, openedMs, closedMs, sentence }) =>
    incidentOf({
      kind: 'audit_differs',
      openedMs,
      closedMs: closedMs === 0 ? null : closedMs,
      symbols: [symbol],
      gapIds: [],
      sentence,
      of: differenceId,
    }),
  );
};

export const INCIDENT_SOURCES: readonly IncidentSource[] = [gapIncidents, auditIncidents];

export async function listIncidents(deps: RpcDeps, { filter }: marketData.ListIncidentsRequest): Promise<marketData.ListIncidentsResponse> {
  const nowMs = deps.wallNowMs();
  const { wanted, faults } = fromIncidentFilter(filter, nowMs);
  refuseFaults(faults);
  const { symbol, fromMs, toMs } = wanted;
  if (symbol !== null) refuseUnserved(deps, symbol);
  const span = { symbols: symbol === null ? deps.tail.symbols : [symbol], fromMs, toMs, nowMs };
  const incidents = await Promise.all(INCIDENT_SOURCES.map((source) => source(deps, span)));
  return { incidents: incidentPage(incidents.flat(), wanted).map(toProtoIncident) };
}

const DIFFERENCES_MAX = 200;

export async function getAccuracy(deps: RpcDeps, request: marketData.GetAccuracyRequest): Promise<marketData.GetAccuracyResponse> {
  const { symbol } = request;
  const nowMs = deps.wallNowMs();
  const asOfMs = request.asOfMs === 0 ? nowMs : Math.min(request.asOfMs, nowMs);
  const lastDayMs = dayOf(request.toMs === 0 ? asOfMs : request.toMs - 1);
  const firstDayMs = request.fromMs === 0 ? lastDayMs - (DAYS_MAX - 1) * DAY_MS : dayOf(request.fromMs);
  refuseFaults(
    symbol === '' ? [] : symbolFaults(symbol),
    instantFaults('as_of_ms', request.asOfMs),
    optionalSpanFaults(['from_ms', request.fromMs], ['to_ms', request.toMs]),
    daySpanFaults({ firstDayMs, lastDayMs }),
  );
  if (symbol !== '') refuseUnserved(deps, symbol);
  const symbols = symbol === '' ? deps.tail.symbols : [symbol];
  const query = { symbols, fromMs: firstDayMs, toMs: lastDayMs + DAY_MS, asOfMs };
  const [days, runs] = await Promise.all([readAuditDays(deps.pool, query), readDifferenceRuns(deps.pool, query)]);
  const differences = differencesOf(runs);
  return {
    asOfMs,
    days: days.map((day) => ({ ...day, reasons: [...day.reasons], largest: largestOf(runs.filter((each) => isOf(day, each))) })),
    differences: differences.slice(0, DIFFERENCES_MAX),
    differenceTotal: differences.length,
    keptDays: AUDIT_KEPT_DAYS,
  };
}

function isOf({ symbol, measure, dayMs }: AuditDay, run: DifferenceRun): boolean {
  return run.symbol === symbol && run.measure === measure && dayOf(Number(run.run_ms)) === dayMs;
}
