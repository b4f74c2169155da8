import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { grantCredits, ledgerAudit } from '@market-state/account';
import { freePort, migrate, ownInstallation, startStores } from '@market-state/launcher';
import { createLogger } from '@market-state/logging';
import { createPool, inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { type KillableProcess, runBundle } from '../archive/child-process';
import type { ProofResult } from '../proof';
import { createRandom } from '../random';
import { type ResetProxy, startResetProxy } from './reset-proxy';
import { Served } from './served';
import { type SimulatedGateway, startGateway } from './simulated-gateway';

export interface ChargeRunSettings {
  readonly seed: number;
  readonly calls: number;
  /** Half of account, half of gateways. */
  readonly kills: number;
  /** Whether to wait until the leases of dead gateways were released by themselves: 90 s. */
  readonly untilReleased: boolean;
  readonly say: (line: string) => void;
}

const GATEWAYS = 4;
/** Credits of the tenants: the last has too few for its share of the calls. */
const CREDITS = [1_000_000, 1_000_000, 3_000];
const RESET_PROBABILITY = 0.02;
/** A batch is a dozen pieces of data to the database. */
const DATABASE_RESET_PROBABILITY = 0.000_5;
const RELEASED_MS_MAX = 130_000;

/** Serves calls with gateways and account dying and wires breaking, then compares the ledger with what was served. */
export async function runCharges(settings: ChargeRunSettings): Promise<ProofResult> {
  const stores = await startStores();
  const folder = mkdtempSync(join(tmpdir(), 'prove-credits-'));
  const random = createRandom(settings.seed);
  const url = stores.postgresUrl('account');
  await migrate(stores.migrationTargets(['account']));
  const pool = createPool({ url, logger: createLogger('prove', { level: 'silent' }), applicationName: 'prove' });
  const databaseWire = await startResetProxy(Number(new URL(url).port), DATABASE_RESET_PROBABILITY, random);
  const grpcPort = await freePort();
  const accountWire = await startResetProxy(grpcPort, RESET_PROBABILITY, random);
  const account = runBundle('account', environment(throughPort(url, databaseWire.port), grpcPort, folder));
  try {
    const tenants = await makeTenants(pool);
    const served = await serveAll({ settings, random, tenants, account, address: `127.0.0.1:${accountWire.port}` });
    const figures = [
      ['calls served', served.total],
      [
        'posted, forgiven, under way when their gateway died',
        `${served.count('posted')}, ${served.count('forgiven')}, ${served.count('unknown')}`,
      ],
      ['connections reset, to account and to the database', `${accountWire.resets()}, ${databaseWire.resets()}`],
    ] as const;
    for (const wire of [accountWire, databaseWire]) wire.calm();
    if (settings.untilReleased) await untilReleased(pool);
    return { failures: await faultsOf(pool, served, settings.untilReleased), timing: [], figures };
  } finally {
    await account.stop();
    await Promise.all([accountWire, databaseWire].map((wire: ResetProxy) => wire.close()));
    await pool.end();
    await stores.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Serving {
  readonly settings: ChargeRunSettings;
  readonly random: () => number;
  readonly tenants: readonly string[];
  readonly account: KillableProcess;
  readonly address: string;
}

async function serveAll({ settings: { calls, kills, say }, random, tenants, account, address }: Serving): Promise<Served> {
  const served = new Served();
  const killAt = Array.from({ length: kills }, () => Math.floor(random() * calls)).sort((one, other) => one - other);
  const gateways: SimulatedGateway[] = [];
  const restarts: Promise<void>[] = [];
  let started = 0;
  let killed = 0;

  const start = (): SimulatedGateway => startGateway({ gatewayId: `gw_${(started += 1)}`, address, tenants, random, served, onServed });
  function onServed(): boolean {
    while (killed < killAt.length && served.total > (killAt[killed] ?? 0)) kill((killed += 1));
    return served.total < calls;
  }
  function kill(number: number): void {
    const isAccount = number % 2 === 1;
    say(`kill ${number} of ${kills}: ${isAccount ? 'account' : 'a gateway'}, after ${served.total} calls`);
    if (isAccount) return void restarts.push(account.killAndRestart());
    const at = Math.floor(random() * GATEWAYS);
    gateways[at]?.kill();
    running.push((gateways[at] = start()).ended);
  }

  const running: Promise<void>[] = [];
  for (let at = 0; at < GATEWAYS; at += 1) running.push((gateways[at] = start()).ended);
  for (let at = 0; at < running.length; at += 1) await running[at];
  await Promise.all(restarts);
  return served;
}

async function makeTenants(pool: Pool): Promise<string[]> {
  const tenants = CREDITS.map((_, index) => `ten_${index + 1}`);
  for (const [index, tenantId] of tenants.entries()) {
    await pool.query('INSERT INTO tenant (id, name, created_at) VALUES ($1, $1, now())', [tenantId]);
    const credits = { market_state: CREDITS[index] ?? 0, export: 0 };
    await inTransaction(pool, (client) =>
      grantCredits(client, tenantId, {
        source: 'operator',
        operationId: 'first',
        note: 'proof',
        credits,
        expiresMs: null,
        nowMs: Date.now(),
      }),
    );
  }
  return tenants;
}

async function untilReleased(pool: Pool): Promise<void> {
  for (const untilMs = Date.now() + RELEASED_MS_MAX; Date.now() < untilMs; await delay(500)) {
    const { rowCount } = await pool.query('SELECT 1 FROM credit_hold WHERE ended_at IS NULL LIMIT 1');
    if (rowCount === 0) return;
  }
}

async function faultsOf(pool: Pool, served: Served, isReleased: boolean): Promise<string[]> {
  const { rows } = await pool.query<{ operation_id: string; tenant_id: string; credits: number }>(
    'SELECT operation_id, tenant_id, observed_market_state_credits::int AS credits FROM receipt',
  );
  const { faults } = await ledgerAudit(pool, Date.now());
  const held = await pool.query<{ id: string }>('SELECT id FROM credit_hold WHERE ended_at IS NULL');
  return [
    ...served.faultsOf(rows),
    ...faults.map(({ tenantId, message }) => `${tenantId}: ${message}`),
    ...(isReleased ? held.rows.map(({ id }) => `Hold ${id} was not released.`) : []),
  ];
}

function throughPort(url: string, port: number): string {
  const through = new URL(url);
  through.port = String(port);
  return through.href;
}

function environment(databaseUrl: string, grpcPort: number, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    NODE_ENV: 'development',
    LOG_LEVEL: 'fatal',
    SHUTDOWN_WAIT_MS: '0',
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('account'),
    DATABASE_URL: databaseUrl,
    GRPC_ADDRESS: `127.0.0.1:${grpcPort}`,
    OPS_PORT: '0',
    ANSWER_SECRET: 'a secret of the proof, 32 bytes or more',
    PUBLIC_BASE_URL: 'http://127.0.0.1:1',
    OUTBOX_DIR: folder,
  };
}
