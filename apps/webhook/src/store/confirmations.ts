import { type Queryable, run } from '@market-state/postgres';
import { z } from 'zod';
import { tables } from './tables';

/** Code that was mailed to an address last. */
export interface Confirmation {
  readonly sealed: string;
  readonly expiresMs: number;
  /** Wrong codes entered since. */
  readonly wrong: number;
}

const shape = z.object({ sealed: z.string(), expiresMs: z.number(), wrong: z.number() });

/** Null if none is awaited. Lock the endpoint first to change it. */
export async function readConfirmation(on: Queryable, endpointId: string): Promise<Confirmation | null> {
  const { rows } = await run(on, tables.selectFrom('endpoint').select('confirmation').where('endpoint_id', '=', endpointId));
  return shape.nullable().parse(rows[0]?.confirmation ?? null);
}

/** Has no effect once the address has changed. */
export async function writeConfirmation(
  on: Queryable,
  { endpointId, urlRevision }: { readonly endpointId: string; readonly urlRevision: number },
  confirmation: Confirmation | null,
): Promise<void> {
  await run(
    on,
    tables
      .updateTable('endpoint')
      .set({ confirmation: confirmation === null ? null : JSON.stringify(confirmation) })
      .where('endpoint_id', '=', endpointId)
      .where('url_revision', '=', urlRevision),
  );
}

export async function setConfirmed(on: Queryable, endpointId: string, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('endpoint')
      .set({ confirmed_ms: String(nowMs), confirmation: null, updated_ms: String(nowMs) })
      .where('endpoint_id', '=', endpointId),
  );
}

/** The address must be confirmed again. */
export async function clearConfirmed(on: Queryable, endpointId: string): Promise<void> {
  await run(on, tables.updateTable('endpoint').set({ confirmed_ms: null, confirmation: null }).where('endpoint_id', '=', endpointId));
}

/** Counts a mail of a period. @returns false at the limit, without counting it */
export async function countMail(
  on: Queryable,
  { counter, periodMs, limit }: { readonly counter: string; readonly periodMs: number; readonly limit: number },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `INSERT INTO mail_count (counter, period_ms, total) VALUES ($1, $2, 1)
     ON CONFLICT (counter, period_ms) DO UPDATE SET total = mail_count.total + 1 WHERE mail_count.total < $3`,
    [counter, periodMs, limit],
  );
  return rowCount === 1;
}

export async function forgetMailCounts(on: Queryable, beforeMs: number): Promise<void> {
  await on.query('DELETE FROM mail_count WHERE period_ms < $1', [beforeMs]);
}
