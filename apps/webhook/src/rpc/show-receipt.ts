import type { webhook } from '@market-state/contracts';
import type { Receipt, ShownDelivery } from '../store/receipts';

export function showReceipt({ nextAttemptMs, ...receipt }: Receipt): webhook.Attempt {
  return { ...receipt, nextAttemptMs: nextAttemptMs ?? 0 };
}

/** A delivery costs what it costs once it is delivered, and nothing before. */
export function showDelivery({ deliveryId, endpointId, status, attempts, dueMs, credits }: ShownDelivery): webhook.Delivery {
  return {
    deliveryId,
    endpointId,
    status,
    attempts,
    nextAttemptMs: dueMs ?? 0,
    marketStateCredits: status === 'delivered' ? credits : 0,
  };
}
