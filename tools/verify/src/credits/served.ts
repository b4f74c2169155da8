/** What became of a call's charge. */
export type Fate = 'posted' | 'forgiven' | 'unknown';

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
