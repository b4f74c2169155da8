import { account, exports } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { freePort, ownInstallation, type Stores, waitForOk } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { type KillableProcess, startAccountProcess, startProcess } from '../harness';
import type { ExportMarket } from './market';

const READY_MS_MAX = 120_000;
const DEADLINE_MS = 60_000;
const CREDITS = 1_000_000;

/** The RPCs of the export service. */
export type Exports = GrpcClient<exports.ExportServiceService>['call'];

/** Who orders exports. */
export interface Customer {
  readonly tenantId: string;
  readonly keyId: string;
}

/** Account, and tenants with credits for exports. */
export interface ExportOffice {
  readonly address: string;
  customer(name: string): Promise<Customer>;
}

export async function openExportOffice(closer: Closer, stores: Stores): Promise<ExportOffice> {
  const process = await startAccountProcess(closer, stores.postgresUrl('account'));
  await waitForOk(`${process.opsUrl}/readyz`, timeLimit(READY_MS_MAX));
  const to = { address: `127.0.0.1:${process.port}`, peer: ownInstallation().peer('account'), deadlineMs: DEADLINE_MS };
  const operator = createClient({ ...to, definition: account.OperatorServiceService });
  closer.add('operator', () => operator.close());
  const keys = createClient({ ...to, definition: account.KeyServiceService });
  closer.add('keys', () => keys.close());
  return {
    address: to.address,
    async customer(name) {
      await operator.call.ensureTenant({
        name,
        planId: 'enterprise',
        renewal: account.Renewal.NONE,
        marketStateCredits: CREDITS,
        exportCredits: CREDITS,
      });
      const { tenantId, keyId } = await keys.call.issueKey({
        tenantName: name,
        kind: account.KeyKind.LIVE,
        scopes: [account.Scope.EXPORT],
        expiresTsMs: 0,
      });
      return { tenantId, keyId };
    },
  };
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
  const signal = timeLimit(READY_MS_MAX);
  await Promise.all([service, ...workers].map(({ opsUrl }) => waitForOk(`${opsUrl}/readyz`, signal)));
  const openCalls = (): Exports => {
    const client = createClient({
      definition: exports.ExportServiceService,
      address: `127.0.0.1:${service.port}`,
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
