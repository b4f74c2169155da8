import { setTimeout as delay } from 'node:timers/promises';
import { isServiceError } from '@market-state/errors';
import { account } from '@market-state/contracts';
import { type ClientCalls, createClient, fromPartialFailure, type GrpcClient } from '@market-state/grpc';
import { createLogger } from '@market-state/logging';
import { createPool, inTransaction } from '@market-state/postgres';
import { patientPeer } from '@market-state/testing';
import type { Pool } from 'pg';
import { grantCredits } from '../src/credits/grants';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

/** Noon in the middle of a month. */
export const NOON_MS = Date.UTC(2027, 0, 15, 12);

export interface CreditsUnderTest {
  readonly service: AccountUnderTest;
  readonly client: GrpcClient<account.CreditServiceService>;
  readonly pool: Pool;
  setNow(ms: number): void;
  now(): number;
  /** Creates a tenant without a plan, with credits that never expire. */
  tenantWith(marketState: number, exports?: number): Promise<string>;
  stop(): Promise<void>;
}

export async function startCreditsUnderTest(): Promise<CreditsUnderTest> {
  const service = await startAccountUnderTest();
  const client = createClient({ definition: account.CreditServiceService, ...patientPeer('account'), address: service.server.address });
  const pool = createPool({
    url: service.stores.postgresUrl('account'),
    logger: createLogger('test', { level: 'silent' }),
    applicationName: 'test',
  });
  const now = (): number => Date.now() + service.clock.aheadMs;
  let tenants = 0;
  service.clock.aheadMs = NOON_MS - Date.now();
  return {
    service,
    client,
    pool,
    now,
    setNow(ms) {
      service.clock.aheadMs = ms - Date.now();
    },
    async tenantWith(marketState, exports = 0) {
      tenants += 1;
      const id = `ten_${tenants}`;
      await pool.query('INSERT INTO tenant (id, name, created_at) VALUES ($1, $1, now())', [id]);
      const gift = {
        source: 'operator',
        operationId: 'first',
        note: 'for the test',
        credits: { market_state: marketState, export: exports },
        expiresMs: null,
        nowMs: now(),
      } as const;
      await inTransaction(pool, (db) => grantCredits(db, id, gift));
      return id;
    },
    async stop() {
      await pool.end();
      await client.close();
      await service.stop();
    },
  };
}

let operations = 0;

/** A call of a tenant's key with this cost. */
export function chargeOf(tenantId: string, credits: number, operationId = `op_${(operations += 1)}`): account.Charge {
  return {
    operationId,
    requestId: `req_${operationId}`,
    caller: { tenantId, keyId: 'key_1', accountId: '' },
    priced: pricedAt(credits, 0),
    status: 200,
    servedTsMs: NOON_MS,
  };
}

/** Equal estimate and observed cost. */
export function pricedAt(marketState: number, exports: number): account.Priced {
  return {
    method: 'GET',
    route: '/api/public/market-state/latest',
    workloadFamily: exports > 0 ? 'export_job' : 'latest_packet',
    priceVersion: 'market_state_prices.v2',
    estimatedMarketStateCredits: marketState,
    observedMarketStateCredits: marketState,
    estimatedExportCredits: exports,
    observedExportCredits: exports,
    quoteId: '',
    artifactIds: [],
  };
}

const PAUSE_MS = 20;

/** Retries until answered, as a gateway does: a database outage does not show whether the request took effect. */
export async function untilKnown<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isServiceError(error) || error.reason !== 'upstream_unavailable') throw error;
      // Pause: an open circuit breaker fails immediately and needs time to recover.
      await delay(PAUSE_MS);
    }
  }
}

export function postUntilKnown(
  client: Pick<ClientCalls<account.CreditServiceService>, 'postCharges'>,
  batch: SentBatch,
): Promise<account.PostedBatch> {
  return untilKnown(() => postBatch(client, batch));
}

/** With charges, groups or both. */
export type SentBatch = Pick<account.ChargeBatch, 'leaseId' | 'batch'> & Partial<account.ChargeBatch>;

/** Throws the ServiceError of a failed batch. */
export async function postBatch(
  { postCharges }: Pick<ClientCalls<account.CreditServiceService>, 'postCharges'>,
  batch: SentBatch,
): Promise<account.PostedBatch> {
  const { outcomes } = await postCharges({ batches: [{ charges: [], groups: [], ...batch }] });
  const outcome = outcomes[0]?.outcome;
  if (outcome?.$case === 'posted') return outcome.value;
  throw outcome === undefined ? new Error('account returned no outcome for a batch') : fromPartialFailure(outcome.value);
}

/** Concurrent gateways that take, charge and end leases, repeating each call. @returns credits charged */
export async function chargeByGateways(
  call: CreditsUnderTest['client']['call'],
  tenantId: string,
  { gateways, rounds }: { readonly gateways: number; readonly rounds: number },
): Promise<number> {
  const gateway = async (gatewayId: string): Promise<number> => {
    let charged = 0;
    for (let round = 0; round < rounds; round += 1) {
      const { lease } = await call.takeLease({ tenantId, gatewayId, needed: 1, wanted: 7 }).catch(() => ({ lease: undefined }));
      if (lease === undefined) continue;
      const batch = { leaseId: lease.leaseId, batch: 1, charges: [chargeOf(tenantId, Math.min(5, lease.amount))] };
      await Promise.all([postUntilKnown(call, batch), postUntilKnown(call, batch), postUntilKnown(call, batch)]);
      charged += Math.min(5, lease.amount);
      await Promise.all([call.endLease(lease), call.endLease(lease)]);
    }
    return charged;
  };
  const charged = await Promise.all(Array.from({ length: gateways }, (_, index) => gateway(`gw_${index}`)));
  return charged.reduce((sum, one) => sum + one, 0);
}
