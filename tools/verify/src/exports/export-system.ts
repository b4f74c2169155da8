import { account, exports } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { freePort, ownInstallation, type Stores } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import type { ExportMarket } from '@market-state/recorded-market';
import { type KillableProcess, openTenants, startAccountProcess, startProcess, type Tenant } from '@market-state/testing';

const DEADLINE_MS = 60_000;
const CREDITS = 1_000_000;

/** The RPCs of the export service. */
export type Exports = GrpcClient<exports.ExportServiceService>['call'];

/** Account, and tenants with credits for exports. */
export interface ExportOffice {
  /** `host:port` of the account service. */
  readonly address: string;
  customer(name: string): Promise<Tenant>;
}

export async function openExportOffice(closer: Closer, stores: Stores): Promise<ExportOffice> {
  const { address, ready } = await startAccountProcess(closer, stores.postgresUrl('account'));
  await ready();
  const tenants = openTenants(closer, address);
  const terms = { planId: 'enterprise', marketStateCredits: CREDITS, exportCredits: CREDITS, scopes: [account.Scope.EXPORT] } as const;
  return { address, customer: (name) => tenants.create({ name, ...terms }) };
}

/** The export service with its workers. */
export interface ExportSystem {
  /** URL of the store with the files. */
  readonly exportUrl: string;
  readonly calls: Exports;
  /** A further caller: one alone has at most 100 calls in flight. */
  openCalls(): Exports;
  readonly workers: readonly KillableProcess[];
  /** Ends the workers and the service, as an operator does. */
  stop(): Promise<void>;
}

export interface ExportSystemSettings {
  /** A folder or a bucket. */
  readonly exportUrl: string;
  readonly workerTotal: number;
  /** Whether what a killed worker left is taken up in seconds instead of a minute. */
  readonly isHurried: boolean;
  /** What its processes need to reach a bucket. */
  readonly env?: NodeJS.ProcessEnv;
}

export async function openExportSystem(
  closer: Closer,
  { stores, archiveFolder, address: dataPlaneAddress }: ExportMarket,
  accountAddress: string,
  { exportUrl, workerTotal, isHurried, env = {} }: ExportSystemSettings,
): Promise<ExportSystem> {
  const shared = {
    ...env,
    DATABASE_URL: stores.postgresUrl('export'),
    REDIS_URL: stores.redisUrl,
    EXPORT_URL: exportUrl,
    ARCHIVE_URL: archiveFolder,
    ACCOUNT_ADDRESS: accountAddress,
    DATA_PLANE_ADDRESS: dataPlaneAddress,
    // Nothing that is exported here is made of packets.
    LABELING_ADDRESS: `127.0.0.1:${await freePort()}`,
  };
  const service = await startProcess(closer, 'export', { ...shared, RPC_TOKEN_FILE: ownInstallation().writeTokenFile('export') });
  const workerEnv = { ...shared, RPC_TOKEN_FILE: ownInstallation().writeTokenFile('export-worker') };
  const workers: KillableProcess[] = [];
  while (workers.length < workerTotal)
    workers.push(await startProcess(closer, isHurried ? 'verify-hurried-worker' : 'export-worker', workerEnv));
  await Promise.all([service, ...workers].map(({ ready }) => ready()));
  const openCalls = (): Exports => {
    const client = createClient({
      definition: exports.ExportServiceService,
      address: service.address,
      peer: ownInstallation().peer('export'),
      deadlineMs: DEADLINE_MS,
      // A poll is refused while the database restarts: by no more than that.
      unguarded: ['createJob', 'getJob', 'getResult', 'cancelJob'],
    });
    closer.add('client', () => client.close());
    return client.call;
  };
  return {
    exportUrl,
    calls: openCalls(),
    openCalls,
    workers,
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await service.stop();
    },
  };
}
