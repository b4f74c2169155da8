import type { RpcIdentity } from '@market-state/grpc';
import { ALL_SCOPES, type Call, callOnce, openTenants, type Tenant, waitUntil, withCloser } from '@market-state/testing';
import type { Pool } from 'pg';

export interface LiveEndpoint {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly url: string;
}

/** Inserts live endpoints with their queues, subscribed to event kinds of every symbol. */
export async function addLiveEndpoints(
  owner: Pool,
  endpoints: readonly LiveEndpoint[],
  { planId, kinds }: { readonly planId: string; readonly kinds: readonly string[] },
): Promise<void> {
  await owner.query(
    `WITH added AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS e (id, tenant, url)),
       endpoints AS (INSERT INTO endpoint (endpoint_id, tenant_id, plan_id, operation_id, url, description, event_kinds, symbols, status,
           disabled_reason, url_revision, failed_messages, created_ms, updated_ms)
         SELECT id, tenant, $4, 'op_' || id, url, '', to_jsonb($5::text[]), '[]', 'live', '', 1, 0, 1, 1 FROM added RETURNING endpoint_id, tenant_id),
       lanes AS (INSERT INTO lane (endpoint_id, tenant_id, ring, slow, breaker, breaker_until_ms)
         SELECT endpoint_id, tenant_id, 0, false, '{}', 0 FROM endpoints)
     INSERT INTO endpoint_topic (event_kind, symbol, tenant_id, endpoint_id)
     SELECT kind, '', tenant_id, endpoint_id FROM endpoints CROSS JOIN unnest($5::text[]) AS k (kind)`,
    [
      endpoints.map(({ endpointId }) => endpointId),
      endpoints.map(({ tenantId }) => tenantId),
      endpoints.map(({ url }) => url),
      planId,
      kinds,
    ],
  );
}

const CREDITS = 1_000_000;
const ANSWER_MS_MAX = 30_000;
const JOBS = '/api/public/data/export/jobs';
const WATCHLISTS = '/api/public/market-state/watchlists';
const WEBHOOKS = '/api/public/market-state/webhooks';
const MINUTE_MS = 60_000;

interface Reported {
  readonly kinds: readonly string[];
  readonly symbols: readonly string[];
}

export interface Customer extends Tenant {
  /** Creates a live endpoint; `know` receives its id and verification secret. */
  register(url: string, reported: Reported, know: (endpointId: string, secret: string) => void): Promise<void>;
  watch(symbol: string, rules: readonly object[]): Promise<void>;
  /** Orders a symbol's trades of the last minute; idempotent by name. @returns the job id */
  order(name: string, symbol: string): Promise<string>;
  statusOf(jobId: string): Promise<string | undefined>;
  /** SHA-256 of each file by name, once the export is ready. */
  digestsOf(jobId: string): Promise<Readonly<Record<string, string>>>;
}

/** Creates a tenant whose key has every customer permission. @param address of the account service */
export function makeCustomer(name: string, address: string, identity: Pick<RpcIdentity, 'to'>): Promise<Tenant> {
  const order = { name, planId: 'enterprise', marketStateCredits: CREDITS, exportCredits: CREDITS, scopes: ALL_SCOPES } as const;
  return withCloser((closer) => openTenants(closer, address, identity).create(order));
}

export function customerAt(url: string, tenant: Tenant): Customer {
  async function call(path: string, options: Call = {}): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = await callOnce(`${url}${path}`, { key: tenant.key, timeoutMs: ANSWER_MS_MAX, ...options });
    if (answer === null) throw new Error(`${path} got no answer.`);
    return { status: answer.status, body: JSON.parse(answer.text) as Record<string, unknown> };
  }

  async function wellDone(path: string, options: Call = {}): Promise<Record<string, unknown>> {
    const { status, body } = await call(path, options);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body).slice(0, 500)}`);
    return body;
  }

  async function statusOf(jobId: string): Promise<string | undefined> {
    const { status, body } = await call(`${JOBS}/${jobId}`);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`An export answered ${status}: ${JSON.stringify(body).slice(0, 500)}`);
    return String(body['status']);
  }

  return {
    ...tenant,
    async register(endpointUrl, { kinds, symbols }, know) {
      const { webhook_id: id, secret } = await wellDone(WEBHOOKS, {
        method: 'POST',
        headers: { 'idempotency-key': 'endpoint-of-a-customer' },
        body: { url: endpointUrl, event_kinds: kinds, symbols },
      });
      know(String(id), String(secret));
      const { succeeded } = await wellDone(`${WEBHOOKS}/${String(id)}/test`, { method: 'POST', body: {} });
      if (succeeded !== true) throw new Error('The endpoint did not pass its test.');
    },
    async watch(symbol, rules) {
      await wellDone(WATCHLISTS, {
        method: 'POST',
        headers: { 'idempotency-key': `watchlist-of-${symbol}` },
        body: { name: symbol, symbols: [symbol], rules },
      });
    },
    async order(name, symbol) {
      const toMs = Date.now() - 5_000;
      const body = {
        dataset: 'trades',
        symbols: [symbol],
        from: new Date(toMs - MINUTE_MS).toISOString(),
        to: new Date(toMs).toISOString(),
        format: 'ndjson',
      };
      return String((await wellDone(JOBS, { method: 'POST', headers: { 'idempotency-key': name }, body }))['job_id']);
    },
    statusOf,
    async digestsOf(jobId) {
      await waitUntil(
        `export ${jobId}`,
        async () => {
          const status = await statusOf(jobId);
          if (status !== 'ready' && status !== 'queued' && status !== 'running' && status !== 'publishing')
            throw new Error(`Export ${jobId} is ${status ?? 'unknown'}.`);
          return status === 'ready';
        },
        180_000,
      );
      const { files } = (await wellDone(`${JOBS}/${jobId}/result`)) as { files: readonly { name: string; sha256: string }[] };
      return Object.fromEntries(files.map(({ name, sha256 }) => [name, sha256]));
    },
  };
}
