import { type AccountOverrides, readAccountConfig, startAccount, ledgerAudit } from '@market-state/account';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { ownInstallation } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { type Metrics, openFolder, readMetrics, SECRET, comesTrue } from '@market-state/testing';
import type { Pool } from 'pg';
import { createPool } from '@market-state/postgres';

/** A statement may read all data of a run. */
const READ_WHOLE_MS = 120_000;

export function openPool(closer: Closer, url: string): Pool {
  const pool = createPool({ url, logger: silentLogger(), applicationName: 'verify', statementTimeoutMs: READ_WHOLE_MS });
  closer.add('pool', () => pool.end());
  return pool;
}

/** Leases of dead gateways expire after 90 s. */
const RELEASED_MS_MAX = 130_000;
const RELEASED_POLL_MS = 500;
const RECEIPTS_POLL_MS = 200;

export async function auditLedger(pool: Pool): Promise<{ readonly entries: number; readonly faults: string[] }> {
  const { entries, faults } = await ledgerAudit(pool, Date.now());
  return { entries, faults: faults.map(({ tenantId, message }) => `${tenantId}: ${message}`) };
}

export async function unreleasedHolds(pool: Pool): Promise<string[]> {
  const held = async (): Promise<{ id: string }[]> =>
    (await pool.query<{ id: string }>('SELECT id FROM credit_hold WHERE ended_at IS NULL')).rows;
  await comesTrue(async () => (await held()).length === 0, { limitMs: RELEASED_MS_MAX, everyMs: RELEASED_POLL_MS });
  return (await held()).map(({ id }) => `Hold ${id} was not released.`);
}

export async function receiptsOf(pool: Pool, tenantId: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>('SELECT count(*)::int AS total FROM receipt WHERE tenant_id = $1', [tenantId]);
  return rows[0]?.total ?? 0;
}

/** Waits for the wanted number of receipts or the time limit: gateways post charges with a delay. */
export async function receiptsOnceThere(pool: Pool, tenantId: string, wanted: number, limitMs: number): Promise<number> {
  await comesTrue(async () => (await receiptsOf(pool, tenantId)) >= wanted, { limitMs, everyMs: RECEIPTS_POLL_MS });
  return receiptsOf(pool, tenantId);
}

export interface HostedAccount {
  readonly keys: GrpcClient<account.KeyServiceService>['call'];
  readonly accounts: GrpcClient<account.AccountServiceService>['call'];
  metrics(): Promise<Metrics>;
}

interface HostedSettings {
  readonly limits?: AccountOverrides['limits'];
  readonly env?: NodeJS.ProcessEnv;
}

/** Several instances may share a database. */
export async function hostAccount(closer: Closer, databaseUrl: string, { limits, env }: HostedSettings = {}): Promise<HostedAccount> {
  const config = readAccountConfig({
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('account'),
    DATABASE_URL: databaseUrl,
    ANSWER_SECRET: SECRET,
    ALLOW_TRIALS: 'true',
    PUBLIC_BASE_URL: 'http://127.0.0.1',
    OUTBOX_DIR: openFolder(closer),
    SHUTDOWN_WAIT_MS: '0',
    ...env,
  });
  const server = await startAccount(config, { logger: silentLogger(), limits });
  closer.add('account', () => server.close());
  const to = { peer: ownInstallation().peer('account'), address: server.address };
  const keys = createClient({ ...to, definition: account.KeyServiceService });
  closer.add('keys', () => keys.close());
  const accounts = createClient({ ...to, definition: account.AccountServiceService });
  closer.add('accounts', () => accounts.close());
  return { keys: keys.call, accounts: accounts.call, metrics: () => readMetrics(`http://127.0.0.1:${server.opsPort}`) };
}

export function orderFor(tenantName: string): account.IssueKeyRequest {
  return { tenantName, kind: account.KeyKind.LIVE, scopes: [account.Scope.READ], expiresTsMs: 0 };
}
