import { account } from '@market-state/contracts';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler, type Call } from '../../serving/answers/handler';
import { toUtc, parseInstant, textOrNull } from '../../serving/meta/meta';
import type { Meter } from '../../serving/metering/meter';
import type { Described } from '../../serving/openapi/document';
import { Problem } from '../../serving/errors/problem';
import { receiptStatistics } from '../../serving/answers/show-billing';

/** Steps from the call to its artifacts, in order. */
function flowOf(
  { requestId, operationId, receiptId }: account.Receipt,
  artifactIds: readonly string[],
): Described<'UsageReceipt'>['call_to_artifact_flow'] {
  return [
    { step: 'call', id: requestId },
    { step: 'charge', id: operationId },
    ...artifactIds.map((id) => ({ step: 'artifact' as const, id })),
    { step: 'receipt', id: receiptId },
  ];
}

/** Usage receipt as in the contract, with its subject. */
export function showReceipt(receipt: account.Receipt): Described<'UsageReceipt'> {
  const { priced, caller } = receipt;
  if (priced === undefined || caller === undefined) throw new Error(`receipt ${receipt.receiptId} is incomplete`);
  return {
    receipt_id: receipt.receiptId,
    request_id: receipt.requestId,
    operation_id: receipt.operationId,
    status: receipt.status,
    served_at_utc: toUtc(receipt.servedTsMs),
    plan_id: receipt.planId,
    tenant_id: caller.tenantId,
    key_id: textOrNull(caller.keyId),
    account_id: textOrNull(caller.accountId),
    ...receiptStatistics(priced),
    quote_id: textOrNull(priced.quoteId),
    produced_artifacts: priced.artifactIds.map((artifactId) => ({
      artifact_id: artifactId,
      produced_by: `${priced.method} ${priced.route}`,
    })),
    call_to_artifact_flow: flowOf(receipt, priced.artifactIds),
    review_artifact_ids: [...priced.artifactIds],
  };
}

const RECEIPTS_MAX = 1_000;
/** Numbers of receipts searched for the latest one that is not for reading receipts: nearly always the first few have it. */
const LOOK_BACKS = [4, 100];

/** Default: the latest one that is not for reading receipts. */
export function getUsageReceipt({ credits }: Pick<Upstreams, 'credits'>, meter: Pick<Meter, 'posted'>): Handler<'getUsageReceipt'> {
  async function list(
    tenantId: string,
    { receiptId = '', requestId = '', limit }: { receiptId?: string; requestId?: string; limit: number },
  ): Promise<readonly account.Receipt[]> {
    const filter = { workloadFamily: '', fromTsMs: 0, toTsMs: 0, cursor: '' };
    const { receipts } = await credits.call.listReceipts({ ...filter, tenantId, receiptId, requestId, limit });
    return receipts;
  }

  async function findLatest(tenantId: string, ownPath: string): Promise<readonly account.Receipt[]> {
    let newest: account.Receipt | undefined;
    for (const limit of LOOK_BACKS) {
      const receipts = await list(tenantId, { limit });
      const latest = receipts.find(({ priced }) => priced?.route !== ownPath);
      if (latest !== undefined) return [latest];
      newest = receipts[0];
      if (receipts.length < limit) break;
    }
    return newest === undefined ? [] : [newest];
  }

  async function find(call: Call<'getUsageReceipt'>): Promise<readonly account.Receipt[]> {
    const { tenantId } = grantOf(call);
    const receiptId = call.input.query.receipt_id;
    const requestId = call.input.query.request_id;
    await meter.posted(tenantId);
    return receiptId === '' && requestId === ''
      ? findLatest(tenantId, call.operation.path)
      : list(tenantId, { receiptId, requestId, limit: RECEIPTS_MAX });
  }

  return async (call) => {
    const receipts = await find(call);
    const [newest] = receipts;
    if (newest === undefined) throw new Problem('not_found', 'No such receipt.');
    const rows = receipts.map(showReceipt);
    return accountAnswer(
      call,
      { ...showReceipt(newest), rows, row_total: rows.length },
      'As recorded in the ledger. Receipts never change.',
    );
  };
}

/** Default span in days, by step. */
const DAYS = { hour: 2, day: 31 } as const;
const DAY_MS = 86_400_000;
const STEPS = { hour: account.BalanceStep.HOUR, day: account.BalanceStep.DAY } as const;
const KIND_NAMES = {
  [account.CreditKind.MARKET_STATE]: 'market_state',
  [account.CreditKind.EXPORT]: 'export',
  [account.CreditKind.UNSPECIFIED]: 'market_state',
} as const;

function showBalanceAt({ kind, available, held, leasedToGateways }: account.BalanceAt): Described<'BalanceAt'> {
  return { credit_kind: KIND_NAMES[kind], available, held, leased_to_gateways: leasedToGateways };
}

function showSteps({ fromTsMs, toTsMs, closed, balance, ...moved }: account.BalanceOfStep): Described<'BalanceStep'>[] {
  if (balance === undefined) return [];
  const { granted, charged, expired, returned } = moved;
  const span = { from_utc: toUtc(fromTsMs), to_utc: toUtc(toTsMs), closed };
  return [{ ...span, ...showBalanceAt(balance), granted, charged, expired, returned }];
}

/** The tenant's balances at the end of each hour or day, with the movements. */
export function listBalanceHistory(
  { credits }: Pick<Upstreams, 'credits'>,
  meter: Pick<Meter, 'posted'>,
  now: () => number,
): Handler<'listBalanceHistory'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { from, to, step } = call.input.query;
    const toTsMs = parseInstant(to) ?? now() + 1;
    const fromTsMs = parseInstant(from) ?? Math.max(0, toTsMs - DAYS[step] * DAY_MS);
    await meter.posted(tenantId);
    const { opening, steps } = await credits.call.getBalanceHistory({ tenantId, fromTsMs, toTsMs, step: STEPS[step] });
    const rows = steps.flatMap(showSteps);
    const fields = {
      from_utc: rows[0]?.from_utc ?? toUtc(fromTsMs),
      to_utc: rows.at(-1)?.to_utc ?? toUtc(fromTsMs),
      step,
      opening: opening.map(showBalanceAt),
      rows,
      row_total: rows.length,
    };
    return accountAnswer(call, fields, 'As posted in the ledger. Closed rows never change.');
  };
}
