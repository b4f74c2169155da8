import { setTimeout as delay } from 'node:timers/promises';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { ownInstallation } from '@market-state/launcher';
import { repeatUntilClosed } from '@market-state/lifecycle';
import { comesTrue, oneOf, wholeBetween } from '@market-state/testing';
import { chargeOf } from './charge';
import { postBatch } from './post-batch';
import type { Served } from './served';

const BATCH_CALLS_MAX = 40;
const LEASE_CREDITS = 400;
const RETRY_MS = 25;
/** Batches of a lease are taken so long after it has expired; none is tried for longer. */
const TRY_MS_MAX = 80_000;

export interface GatewaySettings {
  readonly gatewayId: string;
  /** Of account, through the wire that breaks. */
  readonly address: string;
  readonly tenants: readonly string[];
  readonly random: () => number;
  readonly served: Served;
  /** Told after each call; false ends the gateway. */
  readonly onServed: () => boolean;
}

interface HeldLease {
  readonly leaseId: string;
  readonly tenantId: string;
  readonly expiresMs: number;
  left: number;
  batch: number;
  isRecalled: boolean;
}

/** A gateway as account sees it. */
export interface SimulatedGateway {
  /** Dies at once: what it has not posted is forgotten. */
  kill(): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

/** Serves calls of random tenants against leases, posting each batch until it is acknowledged. */
export function startGateway(settings: GatewaySettings): SimulatedGateway {
  const { gatewayId, address, tenants, random, served, onServed } = settings;
  const life = new AbortController();
  const client = createClient({ definition: account.CreditServiceService, address, peer: ownInstallation().peer('account') });
  const leases = new Map<string, HeldLease>();
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

  async function leaseFor(tenantId: string): Promise<HeldLease | null> {
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

  async function serveBatch(lease: HeldLease): Promise<boolean> {
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

  /** The same batch until it is acknowledged. */
  async function post(lease: HeldLease, charges: account.Charge[]): Promise<void> {
    const operationIds = charges.map(({ operationId }) => operationId);
    served.mark(operationIds, 'unknown');
    lease.batch += 1;
    async function isOver(): Promise<boolean> {
      if (life.signal.aborted) return true;
      const reason = await postBatch(client, { leaseId: lease.leaseId, batch: lease.batch, charges }, life.signal).then(
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
