import { createMessage, labeling, marketData, webhook } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { bindService, createClient, createHealth, type GrpcClient, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { patientPeer, startStores, testRpcSettings, testServing } from '@market-state/testing';
import type { Pool } from 'pg';
import { startWebhook } from '../src/server';

export const TENANT = 'ten_one';
const SERVED = ['BTCUSD-PERP', 'ETHUSD-PERP'];

/** RPC process over real stores, with stand-ins for the services it calls. */
export interface WatchUnderTest {
  readonly watchlists: GrpcClient<webhook.WatchlistServiceService>['call'];
  readonly searches: GrpcClient<webhook.SavedSearchServiceService>['call'];
  readonly pool: Pool;
  /** Packets that labeling has. */
  packets: labeling.PacketRecord[];
  /** Number of calls to labeling. */
  requested: number;
  close(): Promise<void>;
}

const refuse = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not available here.'));

/** Handlers that all refuse except the given ones. */
function only<Definition extends object>(definition: Definition, handlers: object): never {
  return { ...Object.fromEntries(Object.keys(definition).map((name) => [name, refuse])), ...handlers } as never;
}

export async function startWatchUnderTest(nowMs: () => number = Date.now): Promise<WatchUnderTest> {
  const stores = await startStores({ services: ['webhook'] });
  const shared = { address: '127.0.0.1:0', health: createHealth(), logger: silentLogger(), shutdownWaitMs: 0 };
  const instruments = SERVED.map((symbol) => createMessage(marketData.Instrument, { symbol }));
  const dataPlane = await startGrpcServer({
    ...testServing('data-plane'),
    ...shared,
    services: [
      bindService(
        marketData.MarketDataServiceService,
        only(marketData.MarketDataServiceService, { listInstruments: async () => ({ instruments }) }),
      ),
    ],
  });
  const listPackets = async ({ symbol, fromWindowEndMs, toWindowEndMs, pageSize, descending }: labeling.ListPacketsRequest) => {
    test.requested += 1;
    const packets = test.packets.filter(
      (packet) =>
        packet.symbol === symbol && packet.windowEndMs >= fromWindowEndMs && (toWindowEndMs === 0 || packet.windowEndMs < toWindowEndMs),
    );
    return { packets: (descending ? packets.reverse() : packets).slice(0, pageSize), nextPageToken: '' };
  };
  const labels = await startGrpcServer({
    ...testServing('labeling'),
    ...shared,
    services: [bindService(labeling.LabelingServiceService, only(labeling.LabelingServiceService, { listPackets }))],
  });
  const server = await startWebhook(
    {
      logLevel: 'silent',
      opsPort: 0,
      rpc: testRpcSettings('webhook'),
      databaseUrl: stores.postgresUrl('webhook'),
      redisUrl: stores.redisUrl,
      grpcAddress: '127.0.0.1:0',
      labelingAddresses: [labels.address],
      dataPlaneAddresses: [dataPlane.address],
      shutdownWaitMs: 0,
      sealingKeys: [],
      testTargets: [],
      testCaFile: undefined,
    },
    { logger: silentLogger(), clock: nowMs },
  );
  const toServer = { address: server.address, ...patientPeer('webhook') };
  const watchlists = createClient({ ...toServer, definition: webhook.WatchlistServiceService });
  const searches = createClient({ ...toServer, definition: webhook.SavedSearchServiceService });
  const pool = createPool({ url: stores.postgresUrl('webhook'), logger: silentLogger(), applicationName: 'test' });
  const test: WatchUnderTest = {
    watchlists: watchlists.call,
    searches: searches.call,
    pool,
    packets: [],
    requested: 0,
    async close() {
      await watchlists.close();
      await searches.close();
      await server.close();
      await pool.end();
      await Promise.all([dataPlane.close(), labels.close()]);
      await stores.stop();
    },
  };
  return test;
}
