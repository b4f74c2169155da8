import { account, labeling, marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Service } from '@market-state/service';

/** Exports and history take longer than other calls. */
const DEADLINE_MS = 10_000;

export interface Upstreams {
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly marketData: GrpcClient<marketData.MarketDataServiceService>;
  readonly labeling: GrpcClient<labeling.LabelingServiceService>;
}

export interface UpstreamAddresses {
  readonly accountAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly labelingAddresses: readonly string[];
}

export function openUpstreams(addresses: UpstreamAddresses, { clientsOf }: Service): Upstreams {
  const deadline = { deadlineMs: DEADLINE_MS };
  return {
    credits: clientsOf('account', addresses.accountAddresses)(account.CreditServiceService, deadline),
    marketData: clientsOf('data-plane', addresses.dataPlaneAddresses)(marketData.MarketDataServiceService, deadline),
    labeling: clientsOf('labeling', addresses.labelingAddresses)(labeling.LabelingServiceService, deadline),
  };
}
