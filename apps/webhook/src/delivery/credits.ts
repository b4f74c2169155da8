import type { account } from '@market-state/contracts';
import { createLeaseRegistry, type LeaseHolder } from '@market-state/credit-leases';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { PRICE_VERSION } from '@market-state/pricing';
import type { Metrics } from '@market-state/telemetry';

/** The caller must charge or cancel it soon. */
export interface ReservedCredit {
  /** Idempotent by delivery. */
  charge(deliveryId: string): void;
  cancel(): void;
}

export interface Credits {
  /** Undefined if the tenant has none. Rejects if account is unavailable. */
  hold(tenantId: string): Promise<ReservedCredit | undefined>;
  close(): Promise<void>;
}

class NoCredits extends Error {}

interface LeaseCreditsDeps {
  readonly worker: string;
  readonly credits: GrpcClient<account.CreditServiceService>;
  /** Called once account has stored the charges. */
  readonly onPosted: (deliveryIds: readonly string[]) => void;
  readonly clock: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The delivery id is the operation id of its charge, so repeated charges cost nothing. */
export function createLeaseCredits({ worker, credits, onPosted, clock, logger, metrics }: LeaseCreditsDeps): Credits {
  const leases = createLeaseRegistry<account.Refusal>({
    gatewayId: worker,
    credits: credits.call,
    refusals: {
      creditsRefused: () => new NoCredits('no credits'),
      callTooDear: () => new NoCredits('no credits for one call'),
      meteringUnavailable: (cause) => new Error('credits are unavailable at the moment', { cause }),
    },
    onPosted: (charges) => onPosted(charges.map(({ operationId }) => operationId)),
    logger,
    metrics,
    monotonicMs: () => performance.now(),
  });

  async function leaseOf(holder: LeaseHolder) {
    try {
      return await holder.hold(1);
    } catch (error) {
      if (error instanceof NoCredits) return undefined;
      throw error;
    }
  }

  return {
    async hold(tenantId) {
      const lease = await leaseOf(leases.holderOf(tenantId));
      return (
        lease && {
          charge: (deliveryId) => lease.settle(1, createCharge(tenantId, deliveryId, clock())),
          cancel: () => lease.cancel(1),
        }
      );
    },
    close: () => leases.close(),
  };
}

/** Charged to the route that shows the delivery, because sending is not an API call. */
function createCharge(tenantId: string, deliveryId: string, servedTsMs: number): account.Charge {
  return {
    operationId: deliveryId,
    requestId: deliveryId,
    caller: { tenantId, keyId: '', accountId: '' },
    priced: {
      method: 'GET',
      route: '/api/public/market-state/webhooks/deliveries',
      workloadFamily: 'workflow_automation',
      priceVersion: PRICE_VERSION,
      estimatedMarketStateCredits: 1,
      observedMarketStateCredits: 1,
      estimatedExportCredits: 0,
      observedExportCredits: 0,
      quoteId: '',
      artifactIds: [],
    },
    status: 200,
    servedTsMs,
  };
}
