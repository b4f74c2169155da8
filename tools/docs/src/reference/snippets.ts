import { type SnippetCall, snippetsOf, variable } from '@market-state/call-snippets';
import { clientNameOf } from '../../../generate/client-names.mjs';
import { BASE_URL } from '../site/page';
import { type NamedOperation, type Parameter, resolve } from './document';
import { fence } from './text';

/** Parameter values for an example call; parameters not listed here are omitted if optional. */
const VALUES: Readonly<Record<string, string>> = {
  symbol: 'BTCUSD-PERP',
  depth: '5',
  tf: '1m',
  limit: '5',
  view: 'compact',
  connector_id: 'duckdb',
  route: '/api/public/market-state/latest',
  state: 'pressure_building',
  channels: 'trades',
};

/** Parameters omitted to keep an operation's example clear. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = { listHistory: ['state'], getReplayWindow: ['limit'] };

/** Minimal bodies of operations that need one. */
const BODIES: Readonly<Record<string, unknown>> = {
  createExportJob: { dataset: 'trades', symbols: ['BTCUSD-PERP'], format: 'parquet' },
  createPacketFeedback: { event_id: '$EVENT_ID', label: 'useful' },
  createShare: { event_id: '$EVENT_ID', days: 7 },
  createWatchlist: { name: 'Majors', symbols: ['BTCUSD-PERP'], rules: [{ kind: 'state_changed' }] },
  updateWatchlist: { muted: true },
  rehearseWatchlist: {},
  createSavedSearch: { name: 'Fragile', query: { symbol: 'BTCUSD-PERP', state: 'fragile_depth_watch' } },
  updateSavedSearch: { name: 'Fragile depth' },
  createAlert: {
    name: 'High severity',
    symbol: 'BTCUSD-PERP',
    rule: { kind: 'severity_at_least', params: { severity_class: 'high_context' } },
  },
  updateAlert: { muted: true },
  sendMcpMessage: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  rehearseAlerts: { symbols: ['BTCUSD-PERP'], rules: [{ kind: 'state_changed' }] },
  createWebhook: { url: 'https://hooks.example.com/market-state', event_kinds: ['alert.triggered'] },
  updateWebhook: { description: 'Desk' },
  resendWebhookEvent: { webhook_id: '$WEBHOOK_ID' },
  confirmWebhook: { code: '$CODE' },
  rotateWebhookSecret: { grace_hours: 24 },
  recoverWebhook: { since: '$SINCE' },
  replayMissingWebhook: { since: '$SINCE' },
  claimAccount: { email: 'you@example.com', password: '$PASSWORD', api_key: '$MARKET_STATE_API_KEY' },
  logIn: { email: 'you@example.com', password: '$PASSWORD' },
  finishOidcLogin: { query: '$QUERY' },
  requestPasswordReset: { email: 'you@example.com' },
  confirmPasswordReset: { reset_token: '$RESET_TOKEN', new_password: '$PASSWORD' },
  requestEmailChange: { new_email: 'desk@example.com', current_password: '$PASSWORD' },
  confirmEmailChange: { code: '$CODE' },
  beginSecondFactor: { current_password: '$PASSWORD' },
  confirmSecondFactor: { code: '$CODE' },
  disableSecondFactor: { current_password: '$PASSWORD', code: '$CODE' },
  createRecoveryCodes: { current_password: '$PASSWORD', code: '$CODE' },
  updateMember: { role: 'member' },
  createInvitation: { email: 'lin@example.com', role: 'read_only' },
  acceptInvitation: { invitation_token: '$INVITATION_TOKEN', password: '$PASSWORD' },
  openBillingPortal: {},
  createCheckoutSession: { plan_id: 'public_builder' },
  createKey: { name: 'notebook', scopes: ['read'] },
  updateKey: { name: 'notebook' },
  setSpendControls: { monthly_credit_cap: 50_000, daily_credit_cap: null, per_call_credit_ceiling: 100, export_credit_cap: null },
};

/** Path and query parameters of a call. */
export function parametersOf(operation: NamedOperation): readonly Parameter[] {
  return (operation.parameters ?? []).map((parameter) => resolve<Parameter>(parameter));
}

export function exampleCallOf(operation: NamedOperation): SnippetCall {
  const { operationId, method, route, security = [], requestBody } = operation;
  const left = LEFT_OUT[operationId] ?? [];
  const parameters = parametersOf(operation);
  const places = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => [name, VALUES[name] ?? variable(name.toUpperCase())] as const);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && VALUES[parameter.name] !== undefined && !left.includes(parameter.name))
    .map(({ name }) => [name, numberOr(VALUES[name] ?? '')] as const);
  return {
    method,
    route,
    sdkName: clientNameOf(operation),
    takesKey: security.some((way) => 'MarketStateApiKey' in way),
    places: Object.fromEntries(places),
    query: Object.fromEntries(query),
    ...(requestBody === undefined || BODIES[operationId] === undefined
      ? {}
      : { body: withVariables(BODIES[operationId]) as SnippetCall['body'] }),
  };
}

/** Tabs with the call in shell, TypeScript, Python and the command line, as far as each supports it. */
export function snippetTabs(operation: NamedOperation): string {
  return snippetsOf(exampleCallOf(operation), BASE_URL)
    .map(({ name, language, code }) => fence(language, code, `tab="${name}"`))
    .join('\n\n');
}

function numberOr(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Marks `$NAME` as a value for the reader to fill in. */
function withVariables(value: unknown): unknown {
  if (typeof value === 'string') return /^\$[A-Z_]+$/.test(value) ? variable(value.slice(1)) : value;
  if (Array.isArray(value)) return value.map(withVariables);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withVariables(each)]));
}
