import type { account } from '@market-state/contracts';
import { createLeaseDesk, type LeaseHolder } from '@market-state/credit-leases';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { PRICE_VERSION } from '@market-state/pricing';
import type { Metrics } from '@market-state/telemetry';

/** A credit that is set aside for one delivery; one of the two is called soon. */
export interface HeldCredit {
  /** The message was delivered. Charged once for a delivery, however often this is said. */
  charge(deliveryId: string): void;
  cancel(): void;
}

/** Credits of tenants, taken ahead of need. */
export interface Credits {
  /** Sets one credit aside; undefined where the tenant has none. Rejects when account cannot be asked. */
  hold(tenantId: string): Promise<HeldCredit | undefined>;
  close(): Promise<void>;
}

/** Account refused the credit. */
class NoCredits extends Error {}

interface LeaseCreditsDeps {
  /** Of this process, unlike any other's. */
  readonly worker: string;
  readonly credits: GrpcClient<account.CreditServiceService>;
  /** Account has the charges of these deliveries. */
  readonly onPosted: (deliveryIds: readonly string[]) => void;
  readonly clock: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Credits by leases of account; the operation of a charge is its delivery, so that a charge posted again costs nothing. */
export function createLeaseCredits({ worker, credits, onPosted, clock, logger, metrics }: LeaseCreditsDeps): Credits {
  const desk = createLeaseDesk<account.Refusal>({
    gatewayId: worker,
    credits: credits.call,
    refusals: {
      creditsRefused: () => new NoCredits('no credits'),
      callTooDear: () => new NoCredits('no credits for one call'),
      meteringUnavailable: (cause) => new Error('credits cannot be counted now', { cause }),
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
      const lease = await leaseOf(desk.holderOf(tenantId));
      return (
        lease && {
          charge: (deliveryId) => lease.settle(1, createCharge(tenantId, deliveryId, clock())),
          cancel: () => lease.cancel(1),
        }
      );
    },
    close: () => desk.close(),
  };
}

/** The charge of a delivered message, under the route that shows it: the sending is no call of ours. */
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
