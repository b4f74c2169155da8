import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { databaseServices, openRpcAccess, programPath, startStores, type Stores } from '@market-state/launcher';
import { openFolder } from '@market-state/testing';
import { balanceGateways } from '../cluster/haproxy';
import type { SuiteContext } from '../harness';
import { makeCertificateFolder } from '../certificate-folder';
import { LIVE, openKnownMarket, RECORDED, type KnownMarket } from '../standby-scene';
import { openReceivers, type Receivers } from '../webhooks/receivers';
import { addressOf, drawPlaces, type Places, createReleaseProcesses, type ReleaseProcesses } from './release-processes';
import type { BuiltRelease } from './release-build';

export const SYMBOLS = [RECORDED, LIVE];

const MIGRATION_MS_MAX = 120_000;

/** The program reports its faults on stdout. */
interface ExecFailure extends Error {
  readonly killed?: boolean;
  readonly stdout?: string;
}

/** A whole system with two of every process, which find each other by names with two addresses, over mutual TLS. */
export interface RollingScene {
  readonly places: Places;
  readonly processes: ReleaseProcesses;
  readonly stores: Stores;
  readonly dataDir: string;
  readonly market: KnownMarket;
  readonly receivers: Receivers;
  /** URL of the load balancer in front of two gateways. */
  readonly url: string;
  readonly account: string;
  readonly rpc: ReturnType<typeof openRpcAccess>;
  readonly operator: NodeJS.ProcessEnv;
  /** Migrates every database with a release's own program. @returns the output of each */
  migrate(release: BuiltRelease): Promise<string[]>;
}

export async function openRollingScene(context: SuiteContext, release: BuiltRelease): Promise<RollingScene> {
  const { closer, random, report, say } = context;
  const dataDir = openFolder(closer);
  const stores = await startStores();
  closer.add('stores', () => stores.stop());
  const migrate = (of: BuiltRelease): Promise<string[]> => migrateAll(stores, of);
  await migrate(release);
  const market = await openKnownMarket(context);
  const receivers = await openReceivers(closer, 0, random);
  const certificates = await makeCertificateFolder(closer);
  const rpc = openRpcAccess(dataDir, certificates.folder);
  const receiversCa = join(dataDir, 'receivers.pem');
  writeFileSync(receiversCa, receivers.ca);
  const shardsFile = join(dataDir, 'shards.json');
  writeFileSync(shardsFile, JSON.stringify(SYMBOLS.map((symbol) => [symbol])));
  const places = await drawPlaces(dataDir, shardsFile);
  const settings = {
    ...market.settings,
    TLS_DIR: certificates.folder,
    GATEWAY_COUNT: '2',
    TRUSTED_PROXIES: '127.0.0.1',
    WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8',
    WEBHOOK_TEST_CA_FILE: receiversCa,
    // The default.
    SHUTDOWN_WAIT_MS: '2000',
  };
  mkdirSync(join(dataDir, 'outbox'), { recursive: true });
  const processes = createReleaseProcesses(closer, { places, stores, rpc, dataDir, settings, report });
  await Promise.all(places.all.filter((place) => processes.has(place, release)).map((place) => processes.start(place, release)));
  const gateways = places.all.flatMap(({ ports }) => (ports.public === undefined ? [] : [ports.public]));
  const url = await balanceGateways(closer, gateways, say);
  const account = addressOf(places, 'account');
  writeFileSync(join(dataDir, 'endpoints.json'), JSON.stringify(endpointsOf(places, url)));
  return {
    places,
    processes,
    stores,
    dataDir,
    market,
    receivers,
    url,
    account,
    rpc,
    operator: certificates.variablesOf('operator'),
    migrate,
  };
}

function endpointsOf(places: Places, url: string): Readonly<Record<string, string>> {
  const served = places.all.filter(({ definition, ports }) => definition.addressVariable !== undefined && ports.grpc !== undefined);
  const named = served.map(({ definition }) => [
    (definition.addressVariable ?? '').replace(/_ADDRESS$/, '').toLowerCase(),
    addressOf(places, definition.name),
  ]);
  return { gateway: url, ...Object.fromEntries(named) };
}

async function migrateAll(stores: Stores, { root }: BuiltRelease): Promise<string[]> {
  const said: string[] = [];
  for (const database of databaseServices) {
    const env = {
      PATH: process.env['PATH'],
      MARKET_STATE_ROOT: root,
      DATABASE_URL: stores.postgresUrl(database),
      MIGRATION_DATABASE_URL: stores.ownerUrl(database),
    };
    const args = [join(root, programPath('migrate')), database.replaceAll('_', '-')];
    const options = { env, cwd: root, timeout: MIGRATION_MS_MAX };
    const { stdout } = await promisify(execFile)(process.execPath, args, options).catch((cause: ExecFailure) => {
      const end = cause.killed === true ? ` It was ended after ${MIGRATION_MS_MAX / 1_000} s.` : '';
      throw new Error(`The migration of ${database} failed: ${cause.stdout?.trim() || cause.message}${end}`, { cause });
    });
    said.push(stdout.trim());
  }
  return said;
}
