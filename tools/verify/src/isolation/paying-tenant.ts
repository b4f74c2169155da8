import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, type Tenant, waitUntil } from '@market-state/testing';
import type { DocumentedOperation } from './document';

const SYMBOL = 'BTCUSD-PERP';
const PAUSE_MS = 50;
/** A packet may be shared once it is ten minutes old. */
const OLD_MS = 900_000;
const MARKET_STATE = '/api/public/market-state';
/** Require a session. */
const NOT_WITH_A_KEY: ReadonlySet<string> = new Set([
  'logOut',
  'endSession',
  'leaveTeam',
  'requestEmailChange',
  'confirmEmailChange',
  'beginSecondFactor',
  'confirmSecondFactor',
  'disableSecondFactor',
  'createRecoveryCodes',
]);
/**
 * Ids returned by operations that create resources, and by those about messages, which also name resources of earlier
 * rounds.
 */
const CREATED = ['key_id', 'job_id', 'webhook_id', 'share_id', 'watchlist_id', 'alert_id', 'saved_search_id'];
const SENT = ['message_id', 'task_id'];
/** Bodies of operations; others send an empty object. */
const BODIES: Readonly<Record<string, object>> = {
  createCheckoutSession: { plan_id: 'public_pro' },
  createKey: { name: 'n', scopes: ['read'] },
  updateKey: { name: 'm' },
  setSpendControls: { monthly_credit_cap: 900_000, daily_credit_cap: null, per_call_credit_ceiling: null, export_credit_cap: null },
  createWatchlist: { name: 'n', symbols: [SYMBOL], rules: [{ kind: 'state_changed' }] },
  updateWatchlist: { name: 'm' },
  createSavedSearch: { name: 'n', query: {} },
  updateSavedSearch: { name: 'm' },
  createAlert: { name: 'n', symbol: SYMBOL, rule: { kind: 'feed_stale' } },
  updateAlert: { muted: true },
  sendMcpMessage: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  rehearseAlerts: { symbols: [SYMBOL], rules: [{ kind: 'state_changed' }] },
  updateWebhook: { description: 'd' },
};

export interface Answered {
  readonly operationId: string;
  readonly status: number;
  readonly tookMs: number;
  readonly text: string;
}

export interface PayingTenant {
  /** Calls every operation once: creates, then reads, updates and deletes. */
  round(): Promise<Answered[]>;
}

/** Opens a tenant who uses every operation that accepts a key. @param hookUrl URL of its webhook endpoint */
export async function openPayingTenant(
  call: Caller,
  { url, tenant, operations, hookUrl }: { url: string; tenant: Tenant; operations: readonly DocumentedOperation[]; hookUrl: string },
): Promise<PayingTenant> {
  const { key } = tenant;
  const ids = new Map<string, string>();
  const used = operations.filter(({ operationId, isPublic, isStream }) => !isPublic && !isStream && !NOT_WITH_A_KEY.has(operationId));
  const steps = [
    ...used.filter(({ method, path }) => method === 'POST' && !path.includes('{')),
    ...used.filter(({ method, path }) => method === 'GET' || method === 'PUT' || (method === 'POST' && path.includes('{'))),
    ...used.filter(({ method }) => method === 'PATCH'),
    ...used.filter(({ method }) => method === 'DELETE'),
  ];
  let rounds = 0;

  function bodyOf(operationId: string): object {
    const toMs = Date.now() - 5_000;
    const minute = { from: new Date(toMs - 60_000).toISOString(), to: new Date(toMs).toISOString() };
    switch (operationId) {
      case 'createWebhook':
        return { url: hookUrl, event_kinds: ['export.finished'] };
      case 'createExportJob':
        return { dataset: 'trades', symbols: [SYMBOL], format: 'ndjson', ...minute };
      case 'createPacketFeedback':
        return { event_id: ids.get('event_id'), label: 'useful' };
      case 'createShare':
        return { event_id: ids.get('old_event_id') };
      case 'recoverWebhook':
      case 'replayMissingWebhook':
        return { since: minute.from };
      case 'resendWebhookEvent':
        return { webhook_id: ids.get('webhook_id') };
      default:
        return BODIES[operationId] ?? {};
    }
  }

  async function callOperation({ operationId, method, path }: DocumentedOperation): Promise<Answered> {
    const made = path.replace(/\{([^}]+)\}/g, (_, name: string) => ids.get(name) ?? 'none');
    const target = operationId === 'getExportFile' ? (ids.get('download_route') ?? made) : made;
    const isRead = method === 'GET' || method === 'DELETE';
    const answer = await call(`${url}${target}`, {
      key,
      method,
      headers: isRead ? {} : { 'idempotency-key': `${operationId}-${rounds}`, 'sec-fetch-site': 'same-origin', origin: url },
      ...(isRead ? {} : { body: bodyOf(operationId) }),
    });
    return { operationId, status: answer.status, tookMs: answer.endMs - answer.sentMs, text: answer.text };
  }

  function note({ operationId, status, text }: Answered): void {
    if (status !== 200) return;
    const find = (name: string) => new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1];
    const names = operationId.startsWith('create') ? CREATED : /^(recover|replayMissing|listWebhookEvents)/.test(operationId) ? SENT : [];
    for (const name of names) ids.set(name, find(name) ?? ids.get(name) ?? '');
    if (operationId === 'getExportJobResult') ids.set('download_route', find('download_route') ?? '');
  }

  async function readEvents(): Promise<void> {
    const [fromMs, toMs] = [Date.now() - OLD_MS - 60_000, Date.now() - OLD_MS];
    const window = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
    for (const [name, path] of [
      ['event_id', `latest?symbol=${SYMBOL}`],
      ['old_event_id', `replay?symbol=${SYMBOL}&${window}&limit=1`],
    ] as const)
      ids.set(name, /"event_id":"([^"]+)"/.exec((await call(`${url}${MARKET_STATE}/${path}`, { key })).text)?.[1] ?? '');
  }

  async function untilExported(): Promise<void> {
    const job = `${url}/api/public/data/export/jobs/${ids.get('job_id')}`;
    await waitUntil(
      'the end of an export',
      async () => !/"status":"(queued|running|publishing)"/.test((await call(job, { key })).text),
      120_000,
    );
  }

  ids.set('connector_id', 'rest');
  await readEvents();
  return {
    async round() {
      rounds += 1;
      const answered: Answered[] = [];
      for (const step of steps) {
        if (step.operationId === 'getExportJobResult') await untilExported();
        const answer = await callOperation(step);
        note(answer);
        answered.push(answer);
        await delay(PAUSE_MS);
      }
      await readEvents();
      return answered;
    },
  };
}
