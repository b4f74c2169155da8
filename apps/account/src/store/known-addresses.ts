import { type Queryable, run } from '@market-state/postgres';
import { sql } from 'kysely';
import { tables } from './tables';

export async function wasSeenAt(on: Queryable, emailDigest: Uint8Array, address: string, sinceMs: number): Promise<boolean> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('known_address as k')
      .innerJoin('account as a', 'a.id', 'k.account_id')
      .select('k.address')
      .where('a.email_digest', '=', Buffer.from(emailDigest))
      .where('k.address', '=', address)
      .where('k.seen_at', '>', new Date(sinceMs)),
  );
  return rows.length > 0;
}

export async function saveKnownAddress(on: Queryable, accountId: string, address: string, seenMs: number): Promise<void> {
  await run(
    on,
    tables
      .insertInto('known_address')
      .values({ account_id: accountId, address, seen_at: new Date(seenMs) })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'address']).doUpdateSet({ seen_at: sql<Date>`greatest(known_address.seen_at, excluded.seen_at)` }),
      ),
  );
}

export async function deleteOldestKnownAddresses(on: Queryable, accountId: string, keptMax: number): Promise<void> {
  const surplus = tables
    .selectFrom('known_address')
    .select('address')
    .where('account_id', '=', accountId)
    .orderBy('seen_at', 'desc')
    .orderBy('address')
    .offset(keptMax);
  await run(on, tables.deleteFrom('known_address').where('account_id', '=', accountId).where('address', 'in', surplus));
}

export async function deleteKnownAddresses(on: Queryable, accountId: string): Promise<void> {
  await run(on, tables.deleteFrom('known_address').where('account_id', '=', accountId));
}
