import { inTransaction } from '@market-state/postgres';
import { randomBytes } from 'node:crypto';
import { newId } from '@market-state/credentials';
import type { PoolClient } from 'pg';
import { writeSpendControls, insertCeiling, replaceCeiling, writeCeilingCredits } from '../store/spend-limits';
import { type Book, type Controls, CREDIT_KINDS, type Hold, type Ceiling, type CeilingTerms } from './credit-ledger';
import type { Credits } from './credits';
import { limitsOf } from './limits';
import { readCreditBook, withBook } from './with-credit-ledger';
import { recall } from './leases';
import { reportThresholds } from './thresholds';
import { windowAt } from './calendar';

export function getSpendControls(credits: Credits, tenantId: string): Promise<Controls> {
  return readCreditBook(credits, { tenantId, keyId: null }, ({ controls }) => controls);
}

/**
 * Recalls leases that exceed a new cap, or all of them if the per-call ceiling changes, because gateways enforce the
 * old one.
 * @throws ServiceError `unknown_tenant`
 */
export async function setSpendControls(credits: Credits, tenantId: string, controls: Controls): Promise<void> {
  await inTransaction(credits.pool, (client) =>
    withBook(client, tenantId, credits.clock(), async (book) => {
      const ceilingBefore = book.controls.perCallCreditCeiling;
      Object.assign(book.controls, controls);
      await writeSpendControls(client, tenantId, controls);
      await recall(client, book, ceilingBefore === controls.perCallCreditCeiling ? leasesAbove(book) : book.holds);
      for (const kind of CREDIT_KINDS) reportThresholds.ofCaps(book, kind, { spentDay: 0, spentMonth: 0 });
    }),
  );
}

function leasesAbove(book: Book): Hold[] {
  const broken = limitsOf(book, 'market_state').filter(({ free }) => free < 0);
  return book.holds.filter((hold) => broken.some(({ counts }) => counts(hold)));
}

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
