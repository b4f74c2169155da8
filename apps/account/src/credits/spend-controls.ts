import { inTransaction } from '@market-state/postgres';
import { writeSpendControls } from '../store/spend-limits';
import { type Book, type Controls, CREDIT_KINDS, type Hold } from './credit-ledger';
import type { Credits } from './credits';
import { limitsOf } from './limits';
import { readCreditBook } from './with-credit-ledger';
import { recall } from './recall';
import { reportThresholds } from './thresholds';
import { withBook } from './with-credit-ledger';

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
