import type { account } from '@market-state/contracts';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Call, type Handler } from '../../serving/answers/handler';
import type { Upstreams } from '../../clients/upstreams';
import { Problem } from '../../serving/errors/problem';
import type { Meter } from '../../serving/metering/meter';
import { showReceipt } from './usage/show-receipt';

const RECEIPTS_MAX = 1_000;
/** How far back the latest receipt is looked for behind those of reading receipts. */
const LOOK_BACK = 100;

/** Receipts by id or request; else the latest, but for those of reading receipts. */
export function getUsageReceipt({ credits }: Pick<Upstreams, 'credits'>, meter: Pick<Meter, 'posted'>): Handler<'getUsageReceipt'> {
  async function find(call: Call<'getUsageReceipt'>): Promise<readonly account.Receipt[]> {
    const { tenantId } = grantOf(call);
    const receiptId = call.input.query.receipt_id;
    const requestId = call.input.query.request_id;
    const isLatest = receiptId === '' && requestId === '';
    await meter.posted(tenantId);
    const { receipts } = await credits.call.listReceipts({
      tenantId,
      receiptId,
      requestId,
      workloadFamily: '',
      fromTsMs: 0,
      toTsMs: 0,
      limit: isLatest ? LOOK_BACK : RECEIPTS_MAX,
      cursor: '',
    });
    if (!isLatest) return receipts;
    const latest = receipts.find(({ priced }) => priced?.route !== call.operation.path) ?? receipts[0];
    return latest === undefined ? [] : [latest];
  }

  return async (call) => {
    const receipts = await find(call);
    const [newest] = receipts;
    if (newest === undefined) throw new Problem('not_found', 'There is no such receipt.');
    const rows = receipts.map(showReceipt);
    return accountAnswer(
      call,
      { ...showReceipt(newest), rows, row_total: rows.length },
      'As recorded in the ledger; a receipt never changes.',
    );
  };
}
