import { account, IDEMPOTENT, labeling, marketData } from '@market-state/contracts';
import { createClient, type GrpcClient, type RpcIdentity } from '@market-state/grpc';
import type { Closer } from '@market-state/lifecycle';
import type { Metrics } from '@market-state/telemetry';

/** Exports and history have longer than other calls. */
const DEADLINE_MS = 10_000;

/** The services that an export is made from and paid to. */
export interface Upstreams {
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly marketData: GrpcClient<marketData.MarketDataServiceService>;
  readonly labeling: GrpcClient<labeling.LabelingServiceService>;
}

/** Of every process of each service. */
export interface UpstreamAddresses {
  readonly accountAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly labelingAddresses: readonly string[];
}

/** Connects to the services; they are closed with `closer`. */
export function openUpstreams(addresses: UpstreamAddresses, identity: RpcIdentity, metrics: Metrics, closer: Closer): Upstreams {
  const shared = { metrics, idempotent: IDEMPOTENT, deadlineMs: DEADLINE_MS };
  const credits = createClient({
    ...shared,
    definition: account.CreditServiceService,
    address: addresses.accountAddresses,
    peer: identity.to('account'),
  });
  closer.add('account client', () => credits.close());
  const rows = createClient({
    ...shared,
    definition: marketData.MarketDataServiceService,
    address: addresses.dataPlaneAddresses,
    peer: identity.to('data-plane'),
  });
  closer.add('data plane client', () => rows.close());
  const packets = createClient({
    ...shared,
    definition: labeling.LabelingServiceService,
    address: addresses.labelingAddresses,
    peer: identity.to('labeling'),
  });
  closer.add('labeling client', () => packets.close());
  return { credits, marketData: rows, labeling: packets };
}
