import { grantCredits } from '@market-state/account';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { type KillableProcess, openDatabaseWire, openPrivateStores, openWire, startAccountProcess } from '@market-state/testing';
import { auditLedger, openPool, spreadKills, type SuiteContext, unreleasedHolds } from '../harness';
import { Served } from './served';
import { type SimulatedGateway, startGateway } from './simulated-gateway';

export interface ChargeRunSettings {
  /** Half of account, half of gateways. */
  readonly kills: number;
  /** Whether to wait until the leases of dead gateways were released by themselves: 90 s. */
  readonly untilReleased: boolean;
}

const GATEWAYS = 4;
/** Credits of the tenants: the last has too few for its share of the calls. */
const CREDITS = [1_000_000, 1_000_000, 3_000];
const RESET_PROBABILITY = 0.02;
/** A batch is a dozen pieces of data to the database. */
const DATABASE_RESET_PROBABILITY = 0.000_5;

/** Serves calls with gateways and account dying and wires breaking, then compares the ledger with what was served. */
export async function runCharges(context: SuiteContext, { kills, untilReleased }: ChargeRunSettings): Promise<void> {
  const { closer, report, random } = context;
  const url = (await openPrivateStores(closer, 'account')).postgresUrl('account');
  const pool = openPool(closer, url);
  const database = await openDatabaseWire(closer, { url, probability: DATABASE_RESET_PROBABILITY, random });
  const account = await startAccountProcess(closer, database.url);
  const accountWire = await openWire(closer, { port: account.port, probability: RESET_PROBABILITY, random });

  const tenants = await makeTenants(pool);
  const served = await serveAll(context, { kills, tenants, account, address: `127.0.0.1:${accountWire.port}` });
  report.figure('calls served', served.total);
  report.figure(
    'posted, forgiven, under way when their gateway died',
    `${served.count('posted')}, ${served.count('forgiven')}, ${served.count('unknown')}`,
  );
  report.figure('connections reset, to account and to the database', `${accountWire.resets()}, ${database.wire.resets()}`);
  for (const wire of [accountWire, database.wire]) wire.calm();

  const unreleased = untilReleased ? await unreleasedHolds(pool) : [];
  const { rows } = await pool.query<{ operation_id: string; tenant_id: string; credits: number }>(
    'SELECT operation_id, tenant_id, observed_market_state_credits::int AS credits FROM receipt',
  );
  report.fail(...served.faultsOf(rows), ...(await auditLedger(pool)).faults, ...unreleased);
}

interface Serving {
  readonly kills: number;
  readonly tenants: readonly string[];
  readonly account: KillableProcess;
  readonly address: string;
}

async function serveAll(
  { budget: calls, random, say }: SuiteContext,
  { kills: total, tenants, account, address }: Serving,
): Promise<Served> {
  const served = new Served();
  const kills = spreadKills(total, calls, random);
  const gateways: SimulatedGateway[] = [];
  const restarts: Promise<void>[] = [];
  let started = 0;

  const start = (): SimulatedGateway => startGateway({ gatewayId: `gw_${(started += 1)}`, address, tenants, random, served, onServed });
  function onServed(): boolean {
    for (const number of kills.due(served.total)) kill(number);
    return served.total < calls;
  }
  function kill(number: number): void {
    const isAccount = number % 2 === 1;
    say(`kill ${number} of ${total}: ${isAccount ? 'account' : 'a gateway'}, after ${served.total} calls`);
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
        note: 'suite',
        credits,
        expiresMs: null,
        nowMs: Date.now(),
      }),
    );
  }
  return tenants;
}
