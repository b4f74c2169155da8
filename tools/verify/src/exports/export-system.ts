import { account, exports, createMessage } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { freePort, ownInstallation, type Stores } from '@market-state/launcher';
import { type Closer, delay } from '@market-state/lifecycle';
import type { ExportMarket } from '@market-state/recorded-market';
import { type KillableProcess, openTenants, startAccountProcess, startProcess, type Tenant, oneOf } from '@market-state/testing';
import { isServiceError } from '@market-state/errors';

const { Compression, Dataset, FileFormat } = exports;
const DATASETS = [Dataset.TRADES, Dataset.BOOK, Dataset.CONTEXT, Dataset.CANDLES] as const;
const FORMATS = [FileFormat.PARQUET, FileFormat.CSV, FileFormat.NDJSON] as const;
const COMPRESSIONS = [Compression.ZSTD, Compression.GZIP, Compression.NONE] as const;
const AGAIN_MS = 500;
/** Allows the largest results of any plan. */
const PLAN_ID = 'enterprise';

export function specOf(spec: Partial<exports.ExportSpec>): exports.ExportSpec {
  return createMessage(exports.ExportSpec, spec);
}

export function anySpec({ symbols, startMs, endMs }: ExportMarket, random: () => number): exports.ExportSpec {
  const symbol = oneOf(symbols, random);
  return specOf({
    dataset: oneOf(DATASETS, random),
    symbols: symbol === undefined || random() < 0.3 ? [...symbols] : [symbol],
    fromMs: startMs,
    toMs: endMs,
    format: oneOf(FORMATS, random),
    compression: oneOf(COMPRESSIONS, random),
  });
}

export function orderOf({ tenantId, keyId }: Tenant, operationId: string, spec: exports.ExportSpec): exports.CreateJobRequest {
  return {
    caller: { tenantId, keyId, accountId: '' },
    planId: PLAN_ID,
    operationId,
    requestId: `req_${operationId}`,
    spec,
    quoteId: '',
  };
}

/** Retries an order with the same operation id until it is accepted, as a client does during an outage. */
export async function orderUntilAccepted(calls: Exports, order: exports.CreateJobRequest): Promise<string> {
  for (;;) {
    try {
      const { job, refusal } = await calls.createJob(order);
      if (job !== undefined) return job.jobId;
      throw new Error(`The order was refused: ${JSON.stringify(refusal)}`);
    } catch (error) {
      if (!mayPass(error)) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** True for transient failures: the service or a dependency is unavailable. */
export function mayPass(error: unknown): boolean {
  return isServiceError(error) && ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'CANCELLED'].includes(error.code);
}

const DEADLINE_MS = 60_000;
const CREDITS = 1_000_000;

export type Exports = GrpcClient<exports.ExportServiceService>['call'];

interface ExportOffice {
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

export interface ExportSystem {
  readonly exportUrl: string;
  readonly calls: Exports;
  /** Another client: one client has at most 100 calls in flight. */
  openCalls(): Exports;
  readonly workers: readonly KillableProcess[];
  stop(): Promise<void>;
}

interface ExportSystemSettings {
  readonly exportUrl: string;
  readonly workerTotal: number;
  readonly isHurried: boolean;
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
    // No export in this suite reads packets.
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
      // Without the circuit breaker, only the database restart itself refuses polls.
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
