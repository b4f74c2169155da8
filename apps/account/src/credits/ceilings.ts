import { randomBytes } from 'node:crypto';
import { newId } from '@market-state/credentials';
import type { PoolClient } from 'pg';
import { insertCeiling, replaceCeiling, writeCeilingCredits } from '../store/spend-limits';
import { windowAt } from './calendar';
import type { Ceiling, CeilingTerms } from './credit-ledger';
import { recall } from './recall';
import { withBook } from './with-credit-ledger';

/** The transaction must lock the tenant. */
export async function makeCeiling(
  client: PoolClient,
  tenantId: string,
  { credits, windowSeconds }: CeilingTerms,
  nowMs: number,
): Promise<Ceiling> {
  const { fromMs: windowFromMs } = windowAt(windowSeconds, nowMs);
  const made = { id: newId('cei', randomBytes), credits, windowSeconds, windowFromMs, spent: 0 };
  await insertCeiling(client, tenantId, made);
  return made;
}

/**
 * Changes or removes (null) the ceiling of a key and the keys sharing it; the transaction must lock them and the
 * tenant. Charges still count if the window length is unchanged. Leases are recalled, because gateways enforce the old
 * ceiling.
 */
export async function changeCeiling(
  client: PoolClient,
  tenantId: string,
  before: Ceiling,
  terms: CeilingTerms | null,
  nowMs: number,
): Promise<Ceiling | null> {
  const after = await successorOf(client, tenantId, before, terms, nowMs);
  if (after?.id !== before.id) await replaceCeiling(client, before.id, after?.id ?? null);
  await withBook(client, tenantId, nowMs, (book) =>
    recall(
      client,
      book,
      book.holds.filter(({ ceiling }) => ceiling?.id === before.id),
    ),
  );
  return after;
}

async function successorOf(
  client: PoolClient,
  tenantId: string,
  before: Ceiling,
  terms: CeilingTerms | null,
  nowMs: number,
): Promise<Ceiling | null> {
  if (terms === null) return null;
  if (terms.windowSeconds !== before.windowSeconds) return makeCeiling(client, tenantId, terms, nowMs);
  await writeCeilingCredits(client, before.id, terms.credits);
  return { ...before, credits: terms.credits };
}
