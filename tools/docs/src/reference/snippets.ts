import { CLIENT_NAMES } from '../../../generate/client-names.mjs';
import { BASE_URL } from '../site/page';
import { type NamedOperation, type Parameter, resolve } from './document';
import { fence } from './text';

/** What a first call gives for a parameter; one that is not here is left out where it may be. */
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

/** Operations whose first call is clearer without one of these. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = { listHistory: ['state'], getReplayWindow: ['limit'] };

/** The plainest body of an operation that needs one. */
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
  rehearseAlerts: { symbols: ['BTCUSD-PERP'], rules: [{ kind: 'state_changed' }] },
  createWebhook: { url: 'https://hooks.example.com/market-state', event_kinds: ['alert.triggered'] },
  updateWebhook: { description: 'Desk' },
  resendWebhookEvent: { webhook_id: '$WEBHOOK_ID' },
  rotateWebhookSecret: { grace_hours: 24 },
  recoverWebhook: { since: '$SINCE' },
  replayMissingWebhook: { since: '$SINCE' },
  claimAccount: { email: 'you@example.com', password: '$PASSWORD', api_key: '$MARKET_STATE_API_KEY' },
  logIn: { email: 'you@example.com', password: '$PASSWORD' },
  requestPasswordReset: { email: 'you@example.com' },
  confirmPasswordReset: { reset_token: '$RESET_TOKEN', new_password: '$PASSWORD' },
  openBillingPortal: {},
  createCheckoutSession: { plan_id: 'public_builder' },
  createKey: { name: 'notebook', scopes: ['read'] },
  updateKey: { name: 'notebook' },
  setSpendControls: { monthly_credit_cap: 50_000, daily_credit_cap: null, per_call_credit_ceiling: 100, export_credit_cap: null },
};

/** A call of the SDKs that gives messages one by one. */
const STREAM = /^stream\.(?!manifest)/;

interface Call {
  /** With `$NAME` for what the reader has to fill in. */
  readonly path: string;
  readonly values: readonly (readonly [string, string])[];
  readonly body: unknown;
}

/** The parameters of a call that are looked at here: those of path and query. */
export function parametersOf(operation: NamedOperation): readonly Parameter[] {
  return (operation.parameters ?? []).map((parameter) => resolve<Parameter>(parameter));
}

function callOf(operation: NamedOperation): Call {
  const left = LEFT_OUT[operation.operationId] ?? [];
  const given = parametersOf(operation).flatMap((parameter): (readonly [Parameter, string])[] => {
    const value = VALUES[parameter.name];
    if (parameter.in === 'path') return [[parameter, value ?? `$${parameter.name.toUpperCase()}`]];
    return parameter.in === 'query' && value !== undefined && !left.includes(parameter.name) ? [[parameter, value]] : [];
  });
  const query = given.filter(([parameter]) => parameter.in === 'query').map(([{ name }, value]) => `${name}=${value}`);
  const path = operation.route.replace(/\{([^}]+)\}/g, (whole, name: string) => given.find(([each]) => each.name === name)?.[1] ?? whole);
  return {
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    values: given.map(([{ name }, value]) => [name, value]),
    body: operation.requestBody === undefined ? undefined : BODIES[operation.operationId],
  };
}

/** How the operation is called from a shell, from TypeScript, from Python and by the command line: what each can do. */
export function snippetsOf(operation: NamedOperation): string {
  const call = callOf(operation);
  const name = CLIENT_NAMES[operation.operationId];
  if (name === undefined) throw new Error(`The SDKs have no name for ${operation.operationId}.`);
  const takesKey = (operation.security ?? []).some((way) => 'MarketStateApiKey' in way);
  const forms = [
    fence('sh', curlOf(operation, call, takesKey), 'tab="curl"'),
    fence('ts', typescriptOf(name, call), 'tab="TypeScript"'),
    fence('python', pythonOf(name, call), 'tab="Python"'),
  ];
  if (takesKey && operation.method === 'GET' && !STREAM.test(name))
    forms.push(fence('sh', `market-state get ${quoted(call.path)}`, 'tab="Command line"'));
  return forms.join('\n\n');
}

function curlOf({ method }: NamedOperation, { path, body }: Call, takesKey: boolean): string {
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    ...(takesKey ? ['-H "x-market-state-api-key: $MARKET_STATE_API_KEY"'] : []),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
    quoted(`${BASE_URL}${path}`),
  ];
  return parts.join(' \\\n  ');
}

/** In quotes that leave `$NAME` to the shell only where there is one. */
function quoted(text: string): string {
  return text.includes('$') ? `"${text.replaceAll('"', String.raw`\"`)}"` : `'${text}'`;
}

function typescriptOf(name: string, { values, body }: Call): string {
  const given = [
    ...valuesOf(name, values).map(([key, value]) => [key, /^\d+$/.test(value) ? value : literal(value)] as const),
    ...Object.entries(body ?? {}).map(([key, value]) => [key, literal(value)] as const),
  ];
  const argument = given.length === 0 ? '' : `{ ${given.map(([key, value]) => `${key}: ${value}`).join(', ')} }`;
  if (STREAM.test(name)) return `for await (const message of ms.${name}(${argument})) console.log(message);`;
  return `const { data, call } = await ms.${name}(${argument});`;
}

/** Live streams take the symbol, or several, as `symbols`. */
function valuesOf(name: string, values: Call['values']): Call['values'] {
  return /^stream\.(?:packets|data)$/.test(name) ? values.map(([key, value]) => [key === 'symbol' ? 'symbols' : key, value]) : values;
}

/** As the Python client has it: names in snake case, `from` as `from_`. */
function pythonOf(name: string, { values, body }: Call): string {
  const given = [
    ...valuesOf(name, values).map(([key, value]) => [key, /^\d+$/.test(value) ? value : pythonLiteral(value)] as const),
    ...Object.entries(body ?? {}).map(([key, value]) => [key, pythonLiteral(value)] as const),
  ];
  const call = `ms.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}(${given.map(([key, value]) => `${key}=${value}`).join(', ')})`;
  if (STREAM.test(name)) return `with ${call} as messages:\n    for message in messages:\n        print(message)`;
  return `answer = ${call}`;
}

/** A value as Python writes it; `$NAME` is the variable of that name. */
function pythonLiteral(value: unknown): string {
  return JSON.stringify(value)
    .replace(/"\$([A-Z_]+)"/g, (_, name: string) => name.toLowerCase())
    .replaceAll(/\bnull\b/g, 'None')
    .replaceAll(/\btrue\b/g, 'True')
    .replaceAll(/\bfalse\b/g, 'False')
    .replaceAll('":', '": ')
    .replaceAll(',', ', ');
}

/** A value as TypeScript writes it; `$NAME` is the variable of that name. */
function literal(value: unknown): string {
  return JSON.stringify(value)
    .replace(/"\$([A-Z_]+)"/g, (_, name: string) => name.toLowerCase().replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()))
    .replace(/"([a-z_]+)":/g, '$1: ')
    .replaceAll('"', "'")
    .replaceAll(',', ', ');
}
