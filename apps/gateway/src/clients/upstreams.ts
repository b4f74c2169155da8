import { account, labeling, marketData } from '@market-state/contracts';
import { createClient, type GrpcClient, healthDefinition } from '@market-state/grpc';
import type { Metrics } from '@market-state/telemetry';

/** The services this gateway calls. */
export interface Upstreams {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly accountHealth: GrpcClient<typeof healthDefinition>;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly marketData: GrpcClient<marketData.MarketDataServiceService>;
  close(): Promise<void>;
}

export interface UpstreamAddresses {
  readonly accountAddress: string;
  readonly labelingAddress: string;
  readonly dataPlaneAddress: string;
}

export function createUpstreams(addresses: UpstreamAddresses, metrics: Metrics): Upstreams {
  const keys = createClient({ definition: account.KeyServiceService, address: addresses.accountAddress, idempotent: ['verifyKey'], metrics });
  const accountHealth = createClient({ definition: healthDefinition, address: addresses.accountAddress, idempotent: ['check'], metrics });
  const packets = createClient({ definition: labeling.LabelingServiceService, address: addresses.labelingAddress, idempotent: ['getLatestPacket', 'listPackets'], metrics });
  const rows = createClient({
    definition: marketData.MarketDataServiceService,
    address: addresses.dataPlaneAddress,
    idempotent: ['listInstruments', 'getBook', 'listTrades', 'listCandles', 'getFreshness', 'getDataHealth'],
    metrics,
  });
  return {
    keys,
    accountHealth,
    packets,
    marketData: rows,
    async close() {
      await Promise.all([keys.close(), accountHealth.close(), packets.close(), rows.close()]);
    },
  };
}
