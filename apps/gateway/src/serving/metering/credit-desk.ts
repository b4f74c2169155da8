import { randomUUID } from 'node:crypto';
import type { account } from '@market-state/contracts';
import { createLeaseDesk, type LeaseDesk } from '@market-state/credit-leases';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { callTooDear, creditsRefused, meteringUnavailable } from './refusals';

export interface CreditDeskDeps {
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

/** Every lease of this gateway; credits that cannot be had are a Problem. */
export function createCreditDesk({ credits, ...deps }: CreditDeskDeps): LeaseDesk {
  const refusals = { creditsRefused, callTooDear, meteringUnavailable };
  return createLeaseDesk<account.Refusal>({ ...deps, gatewayId: `gw_${randomUUID()}`, credits: credits.call, refusals });
}
