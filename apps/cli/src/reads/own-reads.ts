import { count } from '../io/instant';
import { isRow, memberAt, type Row } from '../output/row-writer';
import { listIn, type Read } from './read';

export const EXPORT_JOBS: Read = {
  operation: 'listExportJobs',
  takes: ['limit'],
  list: 'jobs',
  rows: (answer) =>
    listIn(answer, 'jobs').map((job) => ({
      ...job,
      observed_export_credit_cost: job['observed_export_credit_cost'] ?? 'not charged',
      expires_at_utc: job['expires_at_utc'] ?? 'never',
    })),
  columns: [
    'job_id',
    'status',
    'request.dataset',
    'request.symbols',
    'request.from_utc',
    'request.to_utc',
    'row_total',
    'observed_export_credit_cost',
    'expires_at_utc',
  ],
  summary: 'export jobs, newest first',
};

export const REVIEW_PACK: Read = {
  operation: 'getExportJobReviewPack',
  summary: 'review pack of an export',
};

export const RECEIPTS: Read = {
  operation: 'listUsage',
  takes: ['limit', 'from', 'to'],
  list: 'receipts',
  columns: [
    'served_at_utc',
    'method',
    'endpoint',
    'status',
    'observed_market_state_credit_cost',
    'observed_export_credit_cost',
    'key_id',
    'request_id',
    'receipt_id',
  ],
  summary: 'receipts, newest first',
};

/** `usage`: balances, and daily cost by type of call. */
export const USAGE: Read = {
  operation: 'listUsage',
  takes: ['from', 'to'],
  isOnePage: true,
  rows: (answer) => listIn(answer, 'spend_by_family'),
  notes: (answer) =>
    listIn(answer, 'balances').map(
      ({ credit_kind: kind, available, spent_today: today }) =>
        `${String(kind)} credits: ${count(Number(available))} left, ${count(Number(today))} spent today`,
    ),
  columns: ['day', 'workload_family', 'calls', 'market_state_credits', 'export_credits'],
  summary: 'credits spent',
};

export const BALANCE: Read = {
  operation: 'listBalanceHistory',
  takes: ['step', 'from', 'to'],
  list: 'rows',
  notes: (answer) =>
    listIn(answer, 'opening').map(
      ({ credit_kind: kind, available, held, leased_to_gateways: leased }) =>
        `${String(kind)} credits at the start: ${count(Number(available) + Number(held) + Number(leased))}`,
    ),
  columns: [
    'from_utc',
    'to_utc',
    'credit_kind',
    'granted',
    'charged',
    'expired',
    'returned',
    'available',
    'held',
    'leased_to_gateways',
    'closed',
  ],
  summary: 'balance by day',
};

export const CAPS: Read = {
  operation: 'getSpendControls',
  rows: (answer) =>
    Object.entries(answer)
      .filter(([name]) => name !== 'meta')
      .map(([cap, credits]) => ({ cap, credits: credits ?? 'no limit' })),
  columns: ['cap', 'credits'],
  summary: 'spend limits',
};

export const KEYS: Read = {
  operation: 'listKeys',
  takes: ['limit'],
  list: 'rows',
  rows: (answer) =>
    listIn(answer, 'rows').map((key) => ({
      ...key,
      expires_utc: key['expires_utc'] ?? 'never',
      last_used_utc: key['last_used_utc'] ?? 'never',
      credit_ceiling: key['credit_ceiling'] ?? { credits: 'none' },
      rate_limit: key['rate_limit'] ?? { calls_per_minute: 'plan limit' },
    })),
  columns: [
    'key_id',
    'name',
    'kind',
    'state',
    'scopes',
    'display',
    'created_utc',
    'expires_utc',
    'last_used_utc',
    'credit_ceiling.credits',
    'rate_limit.calls_per_minute',
  ],
  summary: 'your keys, newest first, without their secrets',
};

export const SHARES: Read = {
  operation: 'listShares',
  takes: ['limit'],
  list: 'shares',
  rows: (answer) => listIn(answer, 'shares').map((share) => ({ ...share, revoked_at_utc: share['revoked_at_utc'] ?? 'never' })),
  columns: ['share_id', 'share_state', 'symbol', 'window_end_utc', 'state', 'expires_at_utc', 'revoked_at_utc', 'event_id'],
  summary: 'your shares, newest first',
};

export const DESTINATIONS: Read = {
  operation: 'listWebhooks',
  takes: ['limit'],
  list: 'webhooks',
  rows: (answer) =>
    listIn(answer, 'webhooks').map((endpoint) => ({ ...endpoint, last_success_at_utc: endpoint['last_success_at_utc'] ?? 'never' })),
  columns: ['webhook_id', 'kind', 'status', 'url', 'chat_id', 'event_kinds', 'digest_minutes', 'waiting', 'last_success_at_utc'],
  summary: 'destinations, newest first',
};

export const ALERTS: Read = {
  operation: 'listAlerts',
  takes: ['limit'],
  list: 'alerts',
  rows: (answer) => listIn(answer, 'alerts').map((alert) => ({ ...alert, state: stateOf(alert) })),
  columns: ['alert_id', 'name', 'symbol', 'rule.kind', 'state', 'muted', 'created_at_utc'],
  summary: 'alerts, newest first',
};

export const WATCHLISTS: Read = {
  operation: 'listWatchlists',
  takes: ['limit'],
  list: 'watchlists',
  rows: (answer) => listIn(answer, 'watchlists').map((watchlist) => ({ ...watchlist, rule_total: listIn(watchlist, 'rules').length })),
  columns: ['watchlist_id', 'name', 'symbols', 'rule_total', 'muted', 'created_at_utc'],
  summary: 'watchlists, newest first',
};

export const SAVED_SEARCHES: Read = {
  operation: 'listSavedSearches',
  takes: ['limit'],
  list: 'saved_searches',
  columns: ['saved_search_id', 'name', 'query', 'created_at_utc'],
  summary: 'saved searches, newest first',
};

export const MESSAGES: Read = {
  operation: 'listWebhookEvents',
  takes: ['limit'],
  list: 'events',
  columns: ['timestamp', 'type', 'data.symbol', 'id'],
  summary: 'stored messages, oldest first',
};

export const DELIVERIES: Read = {
  operation: 'listWebhookDeliveries',
  takes: ['limit', 'from', 'to'],
  list: 'attempts',
  columns: ['started_at_utc', 'webhook_id', 'event_kind', 'number', 'outcome', 'status_code', 'duration_ms', 'reason', 'message_id'],
  summary: 'delivery attempts, newest first',
};

/** State of an alert's rule; an alert has one symbol. */
function stateOf(alert: Row): unknown {
  const rule = memberAt(alert, 'rule');
  return isRow(rule) ? listIn(rule, 'standings')[0]?.['state'] : undefined;
}
