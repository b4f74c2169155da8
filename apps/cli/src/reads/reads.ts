import type { OperationId } from '@market-state/client';
import { count } from '../io/instant';
import { type Row, cellText, isRow } from '../output/row-writer';
import { type Read, SPAN, listIn } from './read';

/** Resources of `get` on the service's own track record. */
const RECORD_READS: Readonly<Record<string, Read>> = {
  accuracy: {
    operation: 'getAccuracy',
    of: 'symbol',
    takes: SPAN,
    list: 'rows',
    columns: ['date', 'measure', 'compared_with', 'compared_total', 'equal_total', 'differing_total', 'not_compared_total', 'last_run_utc'],
    isOnePage: true,
    summary: 'comparison of recorded values with the venue',
  },
  incidents: {
    operation: 'listIncidents',
    of: 'symbols',
    takes: ['limit', 'from', 'to'],
    list: 'rows',
    rows: (answer) => listIn(answer, 'rows').map((row) => ({ ...row, closed_utc: row['closed_utc'] ?? 'open' })),
    columns: ['kind', 'opened_utc', 'closed_utc', 'symbols', 'sentence'],
    notes: ({ incomplete }) =>
      (Array.isArray(incomplete) ? incomplete : []).map(
        ({ part, kinds }: { readonly part: string; readonly kinds: readonly string[] }) =>
          `the list is incomplete: ${part.replaceAll('_', ' ')} did not respond, ${kinds.join(', ')} may be missing`,
      ),
    summary: 'incidents, newest first',
  },
  latency: {
    operation: 'getLatencyStatus',
    of: 'symbols',
    takes: ['from', 'to'],
    list: 'rows',
    columns: [
      'date',
      'closing_tick_to_packet.p50_ms',
      'closing_tick_to_packet.p99_ms',
      'packet_to_gateway.p99_ms',
      'closing_tick_to_gateway.p50_ms',
      'closing_tick_to_gateway.p99_ms',
      'closing_tick_to_gateway.packet_total',
      'closing_tick_to_gateway.minutes_without_figures',
    ],
    isOnePage: true,
    summary: 'packet latency by day',
  },
  sla: {
    operation: 'getSlaStatus',
    of: 'symbols',
    takes: ['from', 'to'],
    list: 'rows',
    columns: [
      'month',
      'windows.share',
      'windows.in_time_total',
      'windows.due_total',
      'windows.without_figures_total',
      'reads.share',
      'reads.answered_total',
      'reads.failed_total',
      'reads.minutes_without_figures',
    ],
    isOnePage: true,
    summary: 'packets on time and reads served, by month',
  },
};

export const READS: Readonly<Record<string, Read>> = {
  latest: {
    operation: 'getLatest',
    of: 'symbols',
    params: { view: 'compact' },
    list: 'rows',
    columns: [
      'symbol',
      'window_end_utc',
      'state',
      'state_age_packets',
      'runner_up_state',
      'state_margin',
      'event_class',
      'severity.score',
      'confidence.label',
      'quality_class',
      'response_state',
    ],
    summary: 'newest packet summary of one symbol or all',
  },
  packet: {
    operation: 'getLatest',
    of: 'symbol or event',
    object: (answer) => listIn(answer, 'rows')[0] ?? answer,
    summary: 'complete packet: the newest of a symbol, or an event with its previous and next packets',
  },
  evidence: {
    operation: 'getEventEvidence',
    of: 'event',
    takes: ['asOf'],
    summary: 'inputs, thresholds, candidates and source rows of an event',
  },
  book: {
    operation: 'getBookL2Latest',
    of: 'symbol',
    takes: ['depth'],
    rows: levelsOf,
    columns: ['level', 'bid_size', 'bid_price', 'ask_price', 'ask_size'],
    summary: 'order book',
  },
  trades: {
    operation: 'listLatestTrades',
    of: 'symbol',
    takes: ['limit'],
    list: 'rows',
    columns: ['exchange_time_utc', 'aggressor_side', 'price', 'size', 'venue_id'],
    summary: 'newest trades with their aggressor side',
  },
  candles: {
    operation: 'listCandles',
    of: 'symbol',
    takes: ['tf', 'limit', ...SPAN],
    list: 'rows',
    columns: ['open_time_utc', 'open', 'high', 'low', 'close', 'volume', 'trade_total', 'complete', 'gap'],
    summary: 'candles in six lengths (--tf)',
  },
  context: {
    operation: 'getActiveAssetContext',
    of: 'symbol',
    summary: 'funding, open interest, mark and oracle price',
  },
  liquidations: {
    operation: 'getLiquidationsContext',
    of: 'symbol',
    takes: ['seconds'],
    list: 'rows',
    columns: ['exchange_time_utc', 'position_side', 'price', 'size', 'notional_usd', 'provenance'],
    notes: ({ event_total: total, window_seconds: seconds, long_notional_usd: long, short_notional_usd: short }) => [
      `${String(total)} liquidations in ${String(seconds)} s: ${cellText(long)} USD of longs, ${cellText(short)} USD of shorts`,
    ],
    summary: 'liquidations in the last --seconds',
  },
  gaps: {
    operation: 'listGaps',
    of: 'symbol',
    takes: ['limit', ...SPAN],
    list: 'rows',
    rows: (answer) =>
      listIn(answer, 'rows').map((gap) => ({ ...gap, channel: gap['channel'] ?? 'all', end_utc: gap['end_utc'] ?? 'open' })),
    columns: ['gap_id', 'channel', 'start_utc', 'end_utc', 'reason', 'resolution'],
    summary: 'gap ledger: missing rows and the reasons',
  },
  freshness: {
    operation: 'getDataFreshness',
    of: 'symbol',
    list: 'channels',
    columns: ['channel', 'state', 'reported', 'last_exchange_time_utc', 'freshness_ms', 'staleness_limit_ms', 'gap_total_24h'],
    summary: 'freshness of each channel',
  },
  condition: {
    operation: 'getDataCondition',
    of: 'symbol',
    takes: SPAN,
    list: 'rows',
    columns: ['date', 'channel', 'condition', 'completeness', 'row_total', 'gap_total', 'reasons', 'last_modified_utc'],
    isOnePage: true,
    summary: 'complete days of each channel',
  },
  ...RECORD_READS,
  stability: {
    operation: 'getLabelStability',
    of: 'symbol',
    takes: SPAN,
    list: 'states',
    columns: [
      'state',
      'packet_total',
      'share',
      'span_total',
      'dwell_seconds.median',
      'exit_total',
      'flips_per_hour',
      'near_threshold_share',
    ],
    summary: 'stability of the published states',
  },
  prices: {
    operation: 'listPrices',
    list: 'operations',
    rows: (answer) => listIn(answer, 'operations').map((operation) => ({ ...operation, costs: costsOf(operation) })),
    columns: ['method', 'route', 'costs', 'scope', 'rate_class'],
    notes: (answer) =>
      listIn(answer, 'plans').map((plan) => `${String(plan['plan_id'])}: ${planWords(plan)}, ${cellText(plan['rate_per_second'])} calls/s`),
    summary: 'cost of each operation, and what plans include',
  },
  catalog: {
    operation: 'getCatalog',
    list: 'symbols',
    rows: channelsOf,
    columns: ['symbol', 'venue', 'source_kind', 'channel', 'first_time_utc', 'last_time_utc', 'row_total'],
    summary: 'symbols served and their retention',
  },
};

export const HISTORY: Read = {
  operation: 'listHistory',
  of: 'symbol',
  takes: ['limit', ...SPAN],
  list: 'rows',
  columns: [
    'window_end_utc',
    'state',
    'state_age_packets',
    'event_class',
    'severity_score',
    'severity_class',
    'confidence_label',
    'mid_price',
    'gap_flags',
    'event_id',
  ],
  summary: 'packets of a span, oldest first',
};

export const SEARCH: Read = {
  operation: 'searchEvents',
  of: 'symbols',
  takes: ['limit', ...SPAN],
  params: { view: 'compact' },
  list: 'rows',
  columns: [
    'symbol',
    'window_end_utc',
    'state',
    'event_class',
    'severity.score',
    'severity.severity_class',
    'confidence.label',
    'event_id',
  ],
  summary: 'packets that meet every condition, newest first',
};

/** Operations on current data: a stale answer or one that lacks evidence is unusable. */
export const CURRENT: ReadonlySet<OperationId> = new Set<OperationId>([
  'getLatest',
  'getBookL2Latest',
  'listLatestTrades',
  'getActiveAssetContext',
  'getLiquidationsContext',
  'getDataFreshness',
]);

/** Presentation of a path's answer: the rows it pages, otherwise one object. */
export function readOfOperation(operation: OperationId, list: string | null): Read {
  const known = Object.values(READS).find((read) => read.operation === operation && read.params === undefined && read.object === undefined);
  return known ?? { operation, summary: '', ...(list === null ? {} : { list }) };
}

function costsOf({ price }: Row): string {
  return isRow(price) ? cellText(price['words']) : 'nothing';
}

function planWords({ credits, price_cents: cents }: Row): string {
  if (!isRow(credits)) return 'contract credits';
  const price = isRow(cents) ? ` for $${Number(cents['month']) / 100} a month` : '';
  return `${count(Number(credits['market_state']))} market-state and ${count(Number(credits['export']))} export credits${price}`;
}

function levelsOf(answer: Row): readonly Row[] {
  const [bids, asks] = [listIn(answer, 'bids'), listIn(answer, 'asks')];
  return Array.from({ length: Math.max(bids.length, asks.length) }, (_none, at) => ({
    level: at + 1,
    bid_size: bids[at]?.['size'] ?? null,
    bid_price: bids[at]?.['price'] ?? null,
    ask_price: asks[at]?.['price'] ?? null,
    ask_size: asks[at]?.['size'] ?? null,
  }));
}

function channelsOf(answer: Row): readonly Row[] {
  return listIn(answer, 'symbols').flatMap((symbol) =>
    listIn(symbol, 'channels').map((channel) => ({
      symbol: symbol['symbol'],
      venue: symbol['venue'],
      source_kind: symbol['source_kind'],
      ...channel,
    })),
  );
}
