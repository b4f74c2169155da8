import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import type { Upstreams } from '../../clients/upstreams';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import type { Meter } from '../../serving/metering/meter';
import { showBalances, showCeiling } from '../../serving/answers/show-billing';
import { showGrants } from './usage/show-grants';
import { showReceipt } from './usage/show-receipt';
import { showSpendByFamily, showSpendByKey, showSpendRows } from './usage/show-spend';

/** Without `from` the window begins so long before its end, milliseconds. */
const SPAN_MS = 31 * 86_400_000;

/** Balances, spend and receipts of the tenant, or of one key of it; the ceiling is of that key, or of the one that calls. */
export function listUsage({ credits }: Pick<Upstreams, 'credits'>, meter: Pick<Meter, 'posted'>, now: () => number): Handler<'listUsage'> {
  return async (call) => {
    const { tenantId, keyId } = grantOf(call);
    const { query } = call.input;
    const toTsMs = parseInstant(query.to) ?? now() + 1;
    const fromTsMs = parseInstant(query.from) ?? Math.max(0, toTsMs - SPAN_MS);
    const workloadFamily = query.workload_family;
    const asked = query.key_id === '' ? undefined : query.key_id;
    const window = { tenantId, fromTsMs, toTsMs, workloadFamily, keyId: asked };
    await meter.posted(tenantId);
    const [{ balances, grants, ceiling }, { rows }, { receipts, nextCursor }] = await Promise.all([
      credits.call.getBalances({ tenantId, keyId: asked ?? keyId ?? undefined }),
      credits.call.getUsage(window),
      credits.call.listReceipts({ ...window, receiptId: '', requestId: '', limit: query.limit, cursor: query.cursor }),
    ]);
    const fields = {
      from_utc: toUtc(fromTsMs),
      to_utc: toUtc(toTsMs),
      balances: showBalances(balances),
      grants: showGrants(grants),
      credit_ceiling: showCeiling(ceiling),
      spend_by_family: showSpendByFamily(rows),
      spend_by_key: showSpendByKey(rows),
      spend: showSpendRows(rows),
      receipts: receipts.map(showReceipt),
      next_cursor: nextCursor === '' ? null : nextCursor,
    };
    return accountAnswer(call, fields, 'Credits as recorded in the ledger now.');
  };
}
