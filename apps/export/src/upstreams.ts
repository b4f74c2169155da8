import { account, labeling, marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Service } from '@market-state/service';

/** Deadline of calls, milliseconds: exports and history take longer than others. */
const DEADLINE_MS = 10_000;

/** The services that an export is made from and paid to. */
export interface Upstreams {
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly marketData: GrpcClient<marketData.MarketDataServiceService>;
  readonly labeling: GrpcClient<labeling.LabelingServiceService>;
}

/** Addresses of every process of each service. */
export interface UpstreamAddresses {
  readonly accountAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly labelingAddresses: readonly string[];
}

/** Opens the clients of an export process. */
export function openUpstreams(addresses: UpstreamAddresses, { clientsOf }: Service): Upstreams {
  const deadline = { deadlineMs: DEADLINE_MS };
  return {
    credits: clientsOf('account', addresses.accountAddresses)(account.CreditServiceService, deadline),
    marketData: clientsOf('data-plane', addresses.dataPlaneAddresses)(marketData.MarketDataServiceService, deadline),
    labeling: clientsOf('labeling', addresses.labelingAddresses)(labeling.LabelingServiceService, deadline),
  };
}
