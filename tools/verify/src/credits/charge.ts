import type { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { fromPartialFailure, type GrpcClient } from '@market-state/grpc';

type Fate = 'posted' | 'forgiven' | 'unknown';

/** Calls served by the gateways, and the ledger entry expected for each. */
export class Served {
  private readonly calls = new Map<string, { tenantId: string; credits: number; fate: Fate }>();

  get total(): number {
    return this.calls.size;
  }

  add(operationId: string, tenantId: string, credits: number): void {
    this.calls.set(operationId, { tenantId, credits, fate: 'forgiven' });
  }

  /** `posted`: confirmed by account. `unknown`: the gateway died with the batch in flight. */
  mark(operationIds: readonly string[], fate: Fate): void {
    for (const operationId of operationIds) {
      const call = this.calls.get(operationId);
      if (call !== undefined) call.fate = fate;
    }
  }

  count(fate: Fate): number {
    return [...this.calls.values()].reduce((sum, call) => sum + Number(call.fate === fate), 0);
  }

  faultsOf(receipts: readonly { readonly operation_id: string; readonly tenant_id: string; readonly credits: number }[]): string[] {
    const faults: string[] = [];
    const charged = new Set<string>();
    for (const receipt of receipts) {
      const call = this.calls.get(receipt.operation_id);
      if (charged.has(receipt.operation_id)) faults.push(`Call ${receipt.operation_id} was charged twice.`);
      charged.add(receipt.operation_id);
      if (call === undefined) faults.push(`Call ${receipt.operation_id} was charged but never served.`);
      else if (call.fate === 'forgiven') faults.push(`Call ${receipt.operation_id} was charged though its batch was never sent.`);
      else if (call.tenantId !== receipt.tenant_id || call.credits !== receipt.credits)
        faults.push(`Call ${receipt.operation_id} cost ${call.credits} but was charged ${receipt.credits}.`);
    }
    for (const [operationId, { fate }] of this.calls)
      if (fate === 'posted' && !charged.has(operationId)) faults.push(`Call ${operationId} was posted but has no receipt.`);
    return faults;
  }
}

export async function postBatch(
  { call }: Pick<GrpcClient<account.CreditServiceService>, 'call'>,
  batch: account.ChargeBatch,
  signal?: AbortSignal,
): Promise<account.PostedBatch> {
  const { outcomes } = await call.postCharges({ batches: [batch] }, { signal });
  const outcome = outcomes[0]?.outcome;
  if (outcome?.$case === 'posted') return outcome.value;
  throw outcome === undefined ? new Error('account returned no result for a batch') : fromPartialFailure(outcome.value);
}

const TRIES_MAX = 20;

/** Like postBatch, retrying while the outcome is unknown. */
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
