import type { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { fromPartialFailure, type GrpcClient } from '@market-state/grpc';

/** What became of a call's charge. */
type Fate = 'posted' | 'forgiven' | 'unknown';

/** The calls that the gateways served, and what the ledger must know of each. */
export class Served {
  private readonly calls = new Map<string, { tenantId: string; credits: number; fate: Fate }>();

  get total(): number {
    return this.calls.size;
  }

  add(operationId: string, tenantId: string, credits: number): void {
    this.calls.set(operationId, { tenantId, credits, fate: 'forgiven' });
  }

  /** `posted`: account said so. `unknown`: its gateway died with the batch under way. */
  mark(operationIds: readonly string[], fate: Fate): void {
    for (const operationId of operationIds) {
      const call = this.calls.get(operationId);
      if (call !== undefined) call.fate = fate;
    }
  }

  count(fate: Fate): number {
    return [...this.calls.values()].reduce((sum, call) => sum + Number(call.fate === fate), 0);
  }

  /** What is wrong with the receipts that the ledger holds. */
  faultsOf(receipts: readonly { readonly operation_id: string; readonly tenant_id: string; readonly credits: number }[]): string[] {
    const faults: string[] = [];
    const charged = new Set<string>();
    for (const receipt of receipts) {
      const call = this.calls.get(receipt.operation_id);
      if (charged.has(receipt.operation_id)) faults.push(`Call ${receipt.operation_id} was charged twice.`);
      charged.add(receipt.operation_id);
      if (call === undefined) faults.push(`Call ${receipt.operation_id} was charged and never served.`);
      else if (call.fate === 'forgiven') faults.push(`Call ${receipt.operation_id} was charged though its batch was never sent.`);
      else if (call.tenantId !== receipt.tenant_id || call.credits !== receipt.credits)
        faults.push(`Call ${receipt.operation_id} cost ${call.credits} and was charged ${receipt.credits}.`);
    }
    for (const [operationId, { fate }] of this.calls)
      if (fate === 'posted' && !charged.has(operationId)) faults.push(`Call ${operationId} was posted and has no receipt.`);
    return faults;
  }
}

/** Posts one batch; throws the ServiceError that it failed with. */
export async function postBatch(
  { call }: Pick<GrpcClient<account.CreditServiceService>, 'call'>,
  batch: account.ChargeBatch,
  signal?: AbortSignal,
): Promise<account.PostedBatch> {
  const { outcomes } = await call.postCharges({ batches: [batch] }, { signal });
  const outcome = outcomes[0]?.outcome;
  if (outcome?.$case === 'posted') return outcome.value;
  throw outcome === undefined ? new Error('account told no outcome of a batch') : fromPartialFailure(outcome.value);
}

const TRIES_MAX = 20;

/** As postBatch, sent again as long as what became of it is not known. */
export async function postUntilKnown(
  client: Pick<GrpcClient<account.CreditServiceService>, 'call'>,
  batch: account.ChargeBatch,
): Promise<account.PostedBatch> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await postBatch(client, batch);
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'UNAVAILABLE' || tries === TRIES_MAX) throw error;
    }
  }
}

/** A call of a tenant's key that costs so many market-state credits. */
export function chargeOf(tenantId: string, operationId: string, credits: number, servedTsMs: number): account.Charge {
  return {
    operationId,
    requestId: `req_${operationId}`,
    caller: { tenantId, keyId: 'key_1', accountId: '' },
    priced: pricedAt(credits, 0),
    status: 200,
    servedTsMs,
  };
}

/** What work costs that was estimated and observed alike. */
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
