import { account as accountContract } from '@market-state/contracts';
import { createCloser } from '@market-state/lifecycle';
import { type Logger, silentLogger } from '@market-state/logging';
import { testRpcSettings, waitUntil } from '@market-state/testing';
import type { GatewayConfig } from '../../src/config';
import { type Gateway, startGateway } from '../../src/gateway';
import type { LoadLevel } from '../../src/serving/admission/call-load';
import { createMountedValidators, type MountedValidators } from '../../src/serving/validation/request-validator';
import { type StandInAccount, startStandInAccount } from './account';
import { answerFault } from './answer-check';
import { SIMULATED_SYMBOL, type StandInDataPlane, startStandInDataPlane } from './data-plane';
import { type StandInExport, startStandInExport } from './export';
import { http, type RawRequest, type RawResponse } from './http-client';
import { type StandInLabeling, startStandInLabeling } from './labeling';
import { type StandInMcp, startStandInMcp } from './mcp';
import { packetRecord } from './packet-record';
import { LINK_SECRET, QUOTE_SECRET } from './secrets';
import { type StandInWebhook, startStandInWebhook } from './webhook';

const { Scope } = accountContract;

/** Tests of other things call from one address as often as they like. */
const UNLIMITED = { perMinute: 1_000_000, burst: 1_000_000 };

export const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;

export interface BootedGateway {
  readonly gateway: Gateway;
  readonly account: StandInAccount;
  /** The first process of labeling. */
  readonly labeling: StandInLabeling;
  /** Every process of labeling. */
  readonly shards: readonly StandInLabeling[];
  readonly dataPlane: StandInDataPlane;
  readonly exporter: StandInExport;
  readonly webhooks: StandInWebhook;
  readonly agents: StandInMcp;
  /** A key with every scope. */
  readonly key: string;
  /** Throws where a 200 in JSON does not keep to the document, or has a field that it does not describe. */
  get(path: string, request?: RawRequest): Promise<RawResponse>;
  /** As `get`, with the key. */
  keyed(path: string, request?: RawRequest): Promise<RawResponse>;
  /** Resolves when `probe` holds. */
  until(probe: () => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export interface BootOptions {
  readonly logger?: Logger;
  /** Wall clock; default the instant of the boot, standing still. */
  readonly now?: () => number;
  readonly monotonicMs?: () => number;
  /** How much is refused for the lag of the event loop, which the tests share with everything they start; default nothing. */
  readonly loadLevel?: () => LoadLevel;
  /** Further settings. */
  readonly config?: Partial<GatewayConfig>;
  /** The symbols of each process of labeling; default one process with every symbol. */
  readonly shards?: readonly (readonly string[])[];
  /** Default: shared by the tests of a process. */
  readonly validators?: MountedValidators;
  /** Whether packets of every symbol are there from the start; default true. */
  readonly packets?: boolean;
}

/** Shared by the tests of a process: creating them takes longer than many tests. */
const validators = createMountedValidators();

/** The end of the last whole window. */
export function lastWindowEndMs(nowMs = Date.now()): number {
  return Math.floor(nowMs / 10_000) * 10_000;
}

/** The real gateway on a free port, with stand-ins for the whole neighbour services behind the real protocols. */
export async function bootGateway(options: BootOptions = {}): Promise<BootedGateway> {
  const closer = createCloser();
  const account = await startStandInAccount();
  closer.add('account', () => account.close());
  const [labels = SYMBOLS, ...further] = options.shards ?? [];
  const labeling = await startStandInLabeling(SYMBOLS, { labels: options.shards === undefined ? undefined : labels });
  closer.add('labeling', () => labeling.close());
  const shards = [labeling];
  for (const others of further) {
    const shard = await startStandInLabeling(SYMBOLS, { labels: others, beside: labeling });
    closer.add('another labeling', () => shard.close());
    shards.push(shard);
  }
  const dataPlane = await startStandInDataPlane([...SYMBOLS, SIMULATED_SYMBOL]);
  closer.add('data plane', () => dataPlane.close());
  const bootMs = Date.now();
  const now = options.now ?? (() => bootMs);
  const exporter = await startStandInExport(SYMBOLS, now);
  closer.add('export', () => exporter.close());
  const webhooks = await startStandInWebhook(now);
  closer.add('webhook', () => webhooks.close());
  const agents = await startStandInMcp();
  closer.add('mcp', () => agents.close());
  if (options.packets !== false) for (const symbol of SYMBOLS) labeling.store(packetRecord(symbol, lastWindowEndMs(now())));
  const gateway = await startGateway(
    {
      logLevel: 'silent',
      listenHost: '127.0.0.1',
      port: 0,
      opsPort: 0,
      shutdownWaitMs: 0,
      quoteSecret: QUOTE_SECRET,
      linkSecret: LINK_SECRET,
      rpc: testRpcSettings('gateway'),
      publicRate: UNLIMITED,
      staticRate: UNLIMITED,
      refusedRate: UNLIMITED,
      ...options.config,
      accountAddresses: [account.address],
      labelingAddresses: shards.map(({ address }) => address),
      dataPlaneAddresses: [dataPlane.address],
      exportAddresses: [exporter.address],
      webhookAddresses: [webhooks.address],
      mcpAddresses: [agents.address],
    },
    {
      logger: options.logger ?? silentLogger(),
      now,
      monotonicMs: options.monotonicMs,
      loadLevel: options.loadLevel ?? (() => 0),
      validators: options.validators ?? validators,
    },
  );
  closer.add('gateway', () => gateway.close());
  const key = account.issue({ scopes: [Scope.READ, Scope.EXPORT, Scope.AUTOMATION, Scope.ACCOUNT] });
  const get = async (path: string, request: RawRequest = {}): Promise<RawResponse> => {
    const response = await http(gateway.url + path, request);
    const fault = answerFault(path, request, response);
    if (fault !== null) throw new Error(fault);
    return response;
  };
  const until = async (probe: () => boolean | Promise<boolean>): Promise<void> => {
    await waitUntil(probe.toString(), probe);
  };
  const booted: BootedGateway = {
    gateway,
    account,
    labeling,
    shards,
    dataPlane,
    exporter,
    webhooks,
    agents,
    key,
    get,
    keyed: (path, request = {}) => get(path, { ...request, headers: { 'x-market-state-api-key': key, ...request.headers } }),
    until,
    close: () => closer.close(),
  };
  if (options.packets !== false) await until(async () => (await get('/readyz')).status === 200);
  return booted;
}
