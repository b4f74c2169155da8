import { setTimeout as delay } from 'node:timers/promises';
import { grantCredits } from '@market-state/account';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { ownInstallation } from '@market-state/launcher';
import { repeatUntilClosed } from '@market-state/lifecycle';
import { inTransaction } from '@market-state/postgres';
import {
  type KillableProcess,
  openDatabaseWire,
  openPrivateStores,
  openWire,
  startAccountProcess,
  comesTrue,
  oneOf,
  wholeBetween,
} from '@market-state/testing';
import type { Pool } from 'pg';
import { type Suite, auditLedger, openPool, spreadKills, type SuiteContext, unreleasedHolds } from '../harness';
import { Served, chargeOf, postBatch } from './charge';

const BATCH_CALLS_MAX = 40;
const LEASE_CREDITS = 400;
const RETRY_MS = 25;
/** Batches are accepted for this long after their lease expires; retries stop then. */
const TRY_MS_MAX = 80_000;

interface GatewaySettings {
  readonly gatewayId: string;
  /** Address of account through the faulty wire. */
  readonly address: string;
  readonly tenants: readonly string[];
  readonly random: () => number;
  readonly served: Served;
  readonly onServed: () => boolean;
}

interface StoredLease {
  readonly leaseId: string;
  readonly tenantId: string;
  readonly expiresMs: number;
  left: number;
  batch: number;
  isRecalled: boolean;
}

interface SimulatedGateway {
  kill(): void;
  readonly ended: Promise<void>;
}

/** Serves random tenants' calls from leases, retrying each batch until it is acknowledged. */
function startGateway(settings: GatewaySettings): SimulatedGateway {
  const { gatewayId, address, tenants, random, served, onServed } = settings;
  const life = new AbortController();
  const client = createClient({ definition: account.CreditServiceService, address, peer: ownInstallation().peer('account') });
  const leases = new Map<string, StoredLease>();
  let operations = 0;

  async function run(): Promise<void> {
    for (let goesOn = true; goesOn && !life.signal.aborted; ) {
      const tenantId = oneOf(tenants, random) ?? '';
      const lease = await leaseFor(tenantId);
      if (lease === null) await delay(RETRY_MS);
      else goesOn = await serveBatch(lease);
    }
    for (const lease of leases.values()) await endLease(lease.leaseId);
  }

  async function leaseFor(tenantId: string): Promise<StoredLease | null> {
    const known = leases.get(tenantId);
    if (known !== undefined && !known.isRecalled && known.left >= 5 && known.expiresMs - Date.now() > 10_000) return known;
    if (known !== undefined) {
      leases.delete(tenantId);
      await endLease(known.leaseId);
    }
    const wanted = wholeBetween(5, LEASE_CREDITS + 4, random);
    const { lease } = await client.call
      .takeLease({ tenantId, gatewayId, needed: 5, wanted }, { signal: life.signal })
      .catch(() => ({ lease: undefined }));
    if (lease === undefined) return null;
    const held = { leaseId: lease.leaseId, tenantId, expiresMs: lease.expiresTsMs, left: lease.amount, batch: 0, isRecalled: false };
    leases.set(tenantId, held);
    return held;
  }

  async function serveBatch(lease: StoredLease): Promise<boolean> {
    const charges: account.Charge[] = [];
    let goesOn = true;
    const calls = wholeBetween(1, BATCH_CALLS_MAX, random);
    while (goesOn && charges.length < calls && lease.left >= 5) {
      const credits = wholeBetween(0, 5, random);
      const operationId = `op_${gatewayId}_${(operations += 1)}`;
      charges.push(chargeOf(lease.tenantId, operationId, credits, Date.now()));
      served.add(operationId, lease.tenantId, credits);
      lease.left -= credits;
      goesOn = onServed();
      // A gateway may die between serving a call and posting it.
      if (random() < 0.05) await delay(1);
      if (life.signal.aborted) return false;
    }
    await post(lease, charges);
    return goesOn;
  }

  async function post(lease: StoredLease, charges: account.Charge[]): Promise<void> {
    const operationIds = charges.map(({ operationId }) => operationId);
    served.mark(operationIds, 'unknown');
    lease.batch += 1;
    async function isOver(): Promise<boolean> {
      if (life.signal.aborted) return true;
      const reason = await postBatch(client, { leaseId: lease.leaseId, batch: lease.batch, charges, groups: [] }, life.signal).then(
        () => null,
        (error: { reason?: string }) => error.reason ?? String(error),
      );
      if (reason === 'lease_over' || reason === 'invalid_argument')
        throw new Error(`batch ${lease.batch} of ${lease.leaseId} was refused: ${reason}`);
      if (reason === null) served.mark(operationIds, 'posted');
      return reason === null;
    }
    if (!(await comesTrue(isOver, { limitMs: TRY_MS_MAX, everyMs: RETRY_MS })))
      throw new Error(`batch ${lease.batch} of ${lease.leaseId} was not acknowledged in time`);
  }

  async function endLease(leaseId: string): Promise<void> {
    const isEnded = (): Promise<boolean> =>
      client.call.endLease({ leaseId }, { signal: life.signal }).then(
        () => true,
        () => life.signal.aborted,
      );
    if (!life.signal.aborted) await comesTrue(isEnded, { limitMs: Infinity, everyMs: RETRY_MS });
  }

  const watching = repeatUntilClosed(
    () =>
      followRecalls(client, gatewayId, life.signal, (leaseId) => {
        const lease = [...leases.values()].find((held) => held.leaseId === leaseId);
        if (lease !== undefined) lease.isRecalled = true;
        else void endLease(leaseId);
      }),
    { intervalMs: RETRY_MS, onError: () => undefined },
  );
  const ended = run().finally(async () => {
    life.abort();
    await watching.close();
    await client.close();
  });
  return { kill: () => life.abort(), ended };
}

async function followRecalls(
  client: GrpcClient<account.CreditServiceService>,
  gatewayId: string,
  signal: AbortSignal,
  onRecall: (leaseId: string) => void,
): Promise<void> {
  for await (const { leaseIds } of client.call.watchRecalls({ gatewayId }, { signal })) leaseIds.forEach(onRecall);
}

interface ChargeRunSettings {
  /** Half of account, half of gateways. */
  readonly kills: number;
  /** Waits until the leases of dead gateways expire: 90 s. */
  readonly untilReleased: boolean;
}

const GATEWAYS = 4;
/** The last tenant has too few for its share of the calls. */
const CREDITS = [1_000_000, 1_000_000, 3_000];
const RESET_PROBABILITY = 0.02;
/** A batch takes about a dozen packets to the database. */
const DATABASE_RESET_PROBABILITY = 0.000_5;

async function runCharges(context: SuiteContext, { kills, untilReleased }: ChargeRunSettings): Promise<void> {
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
    'posted, forgiven, in flight when their gateway died',
    `${served.count('posted')}, ${served.count('forgiven')}, ${served.count('unknown')}`,
  );
  report.figure('connections reset: to account, to the database', `${accountWire.resets()}, ${database.wire.resets()}`);
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

const KILLS = 30;

export const creditSuite: Suite = {
  id: 'credits',
  claim:
    `${KILLS} kills of account and gateways and 2 % of connections reset leave a ledger that sums to zero, is never negative, and ` +
    `charges each posted call once`,
  budget: { default: 50_000, counts: 'metered calls' },
  short: { seed: 20_270_116, budget: 1_500 },
  run: (context) => runCharges(context, context.isShort ? { kills: 3, untilReleased: false } : { kills: KILLS, untilReleased: true }),
};
