import { type Queryable, run } from '@market-state/postgres';
import type { Priced } from '../credits/receipt';
import type { ReservationState } from './generated/tables';
import { tables } from './tables';

const TENANT_OF_LEASE = {
  name: 'tenant_of_lease',
  text: `SELECT h."tenant_id" FROM "credit_hold" h JOIN "credit_lease" USING ("id") JOIN "tenant" t ON t."id" = h."tenant_id"
    WHERE h."id" = $1 FOR NO KEY UPDATE OF t`,
};

/** Also locks the tenant. */
export async function lockTenantOfLease(on: Queryable, leaseId: string): Promise<string | null> {
  const { rows } = await on.query<{ tenant_id: string }>({ ...TENANT_OF_LEASE, values: [leaseId] });
  return rows[0]?.tenant_id ?? null;
}

export async function findLastBatch(on: Queryable, leaseId: string): Promise<number> {
  const { rows } = await run(on, tables.selectFrom('credit_lease').select('last_batch').where('id', '=', leaseId));
  return rows[0]?.last_batch ?? 0;
}

export async function listRecalledLeases(on: Queryable, gatewayId: string): Promise<string[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('credit_lease')
      .select('id')
      .where('gateway_id', '=', gatewayId)
      .where('ended_at', 'is', null)
      .where('recalled_at', 'is not', null),
  );
  return rows.map(({ id }) => id);
}

export interface StoredReservation {
  readonly tenantId: string;
  readonly state: ReservationState;
  readonly requestId: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly priced: Priced;
}

export async function findReservation(on: Queryable, operationId: string): Promise<StoredReservation | undefined> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('credit_reservation')
      .select(['tenant_id', 'state', 'request_id', 'key_id', 'account_id', 'priced'])
      .where('operation_id', '=', operationId),
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    tenantId: row.tenant_id,
    state: row.state,
    requestId: row.request_id,
    keyId: row.key_id,
    accountId: row.account_id,
    priced: row.priced as Priced,
  };
}

interface NewReservation extends Omit<StoredReservation, 'state'> {
  readonly operationId: string;
  readonly reservedMs: number;
  readonly expiresMs: number;
}

export async function insertReservation(on: Queryable, reservation: NewReservation): Promise<void> {
  await run(
    on,
    tables.insertInto('credit_reservation').values({
      operation_id: reservation.operationId,
      tenant_id: reservation.tenantId,
      state: 'open',
      request_id: reservation.requestId,
      key_id: reservation.keyId,
      account_id: reservation.accountId,
      priced: JSON.stringify(reservation.priced),
      reserved_at: new Date(reservation.reservedMs),
      expires_at: new Date(reservation.expiresMs),
    }),
  );
}

export async function writeReservationState(on: Queryable, operationId: string, state: 'settled' | 'released'): Promise<void> {
  await run(on, tables.updateTable('credit_reservation').set({ state }).where('operation_id', '=', operationId));
}

export async function releaseReservations(on: Queryable, operationIds: readonly string[]): Promise<void> {
  await on.query(`UPDATE "credit_reservation" SET "state" = 'released' WHERE "operation_id" = ANY($1) AND "state" = 'open'`, [
    operationIds,
  ]);
}
