import { account as accountContract } from '@market-state/contracts';
import { createCloser } from '@market-state/lifecycle';
import { type Logger, silentLogger } from '@market-state/logging';
import { testRpcSettings, waitUntil } from '@market-state/testing';
import type { GatewayConfig } from '../../src/config';
import { type Gateway, startGateway } from '../../src/gateway';
import type { LoadLevel } from '../../src/serving/admission';
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

/** Most tests need no limit per address. */
const UNLIMITED = { perMinute: 1_000_000, burst: 1_000_000 };

export const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;

export interface BootedGateway {
  readonly gateway: Gateway;
  readonly account: StandInAccount;
  /** The first labeling process. */
  readonly labeling: StandInLabeling;
  /** All labeling processes. */
  readonly shards: readonly StandInLabeling[];
  readonly dataPlane: StandInDataPlane;
  readonly exporter: StandInExport;
  readonly webhooks: StandInWebhook;
  readonly agents: StandInMcp;
  /** A key with every scope. */
  readonly key: string;
  /** Throws if a JSON 200 does not match the document or has an undescribed field. */
  get(path: string, request?: RawRequest): Promise<RawResponse>;
  /** `get` with the key. */
  keyed(path: string, request?: RawRequest): Promise<RawResponse>;
  until(probe: () => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export interface BootOptions {
  readonly logger?: Logger;
  /** Wall clock; default frozen at boot. */
  readonly now?: () => number;
  readonly monotonicMs?: () => number;
  /** Load level; default 0, since the tests share the event loop with everything they start. */
  readonly loadLevel?: () => LoadLevel;
  /** Overrides of settings. */
  readonly config?: Partial<GatewayConfig>;
  /** Symbols of each labeling process; default one process with all. */
  readonly shards?: readonly (readonly string[])[];
  /** Keys of further markets than `SYMBOLS`. */
  readonly markets?: readonly string[];
  /** Starts with packets of every symbol; default true. */
  readonly packets?: boolean;
}

/** End of the last complete window. */
export function lastWindowEndMs(nowMs = Date.now()): number {
  return Math.floor(nowMs / 10_000) * 10_000;
}

/** Starts the real gateway on a free port, with stand-ins for all upstreams behind the real protocols. */
export async function bootGateway(options: BootOptions = {}): Promise<BootedGateway> {
  const closer = createCloser();
  const account = await startStandInAccount();
  closer.add('account', () => account.close());
  const symbols = [...SYMBOLS, ...(options.markets ?? [])];
  const [labels = symbols, ...further] = options.shards ?? [];
  const labeling = await startStandInLabeling(symbols, { labels: options.shards === undefined ? undefined : labels });
  closer.add('labeling', () => labeling.close());
  const shards = [labeling];
  for (const others of further) {
    const shard = await startStandInLabeling(symbols, { labels: others, sharedWith: labeling });
    closer.add('another labeling', () => shard.close());
    shards.push(shard);
  }
  const dataPlane = await startStandInDataPlane([...symbols, SIMULATED_SYMBOL]);
  closer.add('data plane', () => dataPlane.close());
  const bootMs = Date.now();
  const now = options.now ?? (() => bootMs);
  const exporter = await startStandInExport(symbols, now);
  closer.add('export', () => exporter.close());
  const webhooks = await startStandInWebhook(now);
  closer.add('webhook', () => webhooks.close());
  const agents = await startStandInMcp();
  closer.add('mcp', () => agents.close());
  if (options.packets !== false) for (const symbol of symbols) labeling.store(packetRecord(symbol, lastWindowEndMs(now())));
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
