import { waitForOk, type RpcAccess, type System } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import type { Pool } from 'pg';
import {
  type KillableProcess,
  type Tenants,
  openDatabaseWire,
  openTenants,
  openWire,
  SECRET,
  startAccountProcess,
  startProcess,
  type Wire,
  opsUrlOf,
  startSystem,
} from '@market-state/testing';
import { openPool } from '../harness';

const MARKET_STATE = '/api/public/market-state';

export const LATEST = `${MARKET_STATE}/latest?symbol=BTCUSD-PERP`;
export const KEYS = `${MARKET_STATE}/account/keys`;
export const CHECKOUT = `${MARKET_STATE}/account/billing/checkout-session`;
export const TRADES = '/api/public/data/trades/latest?symbol=BTCUSD-PERP';
export const BOOK = '/api/public/data/book/l2/latest?symbol=BTCUSD-PERP';

/** Faster than real time, so that packets are fresh however long the start took. */
const SPEED = '3';

const SERVED = ['account', 'data-plane-feed', 'data-plane-recorder', 'data-plane', 'labeling', 'export', 'export-worker', 'webhook'];

/** A served recorded market on its own stores; suites attach their own gateways and account services. */
export interface Market {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly accountAddress: string;
  readonly dataPlaneOpsUrl: string;
  readonly labelingAddress: string;
  readonly dataPlaneAddress: string;
  readonly exportAddress: string;
  readonly webhookAddress: string;
  readonly mcpAddress: string;
  /** Credentials of its installation, which the suites' processes join. */
  readonly rpc: RpcAccess;
}

interface MarketSettings {
  /** If true, plays in real time with rows from the last full hour on; otherwise faster, from now on. Default false. */
  readonly withHistory?: boolean;
}

export async function openMarket(closer: Closer, { withHistory = false }: MarketSettings = {}): Promise<Market> {
  const pace = withHistory ? {} : { FEED_START: String(Date.now()), FEED_SPEED: SPEED };
  const settings = { FEED: 'recording', ...pace, SYMBOLS: 'BTCUSD-PERP', LOG_LEVEL: 'error' };
  const system = await startSystem({ runs: SERVED, settings });
  closer.add('market', () => system.stop());
  return {
    databaseUrl: system.stores.postgresUrl('account'),
    redisUrl: system.stores.redisUrl,
    rpc: system.rpc,
    accountAddress: addressOf(system, 'account'),
    dataPlaneOpsUrl: opsUrlOf(system, 'data-plane'),
    labelingAddress: addressOf(system, 'labeling'),
    dataPlaneAddress: addressOf(system, 'data-plane'),
    exportAddress: addressOf(system, 'export'),
    webhookAddress: addressOf(system, 'webhook'),
    mcpAddress: addressOf(system, 'mcp'),
  };
}

function addressOf(system: System, name: string): string {
  return `127.0.0.1:${system.processes.portsOf(name).grpc}`;
}

const READY_MS_MAX = 180_000;

export interface EdgeGateway {
  readonly url: string;
  readonly process: KillableProcess;
  readonly wire: Wire;
}

/** Gateways in front of one account service, with every connection through a wire that can break. */
export interface Edge {
  readonly gateways: readonly EdgeGateway[];
  readonly account: KillableProcess;
  readonly databaseWire: Wire;
  /** The account service's database, bypassing the wire. */
  readonly pool: Pool;
  readonly tenants: Tenants;
  ready(): Promise<void>;
  /** Stops the gateways gracefully: they post their charges and return their leases. */
  stopGateways(): Promise<void>;
}

interface EdgeSettings {
  readonly gateways: number;
  readonly random: () => number;
  /** Probability per chunk of data that a wire breaks; default 0. */
  readonly resets?: { readonly account: number; readonly database: number };
  readonly settings?: NodeJS.ProcessEnv;
}

export async function openEdge(
  closer: Closer,
  market: Market,
  { gateways: total, random, resets = { account: 0, database: 0 }, settings = {} }: EdgeSettings,
): Promise<Edge> {
  const pool = openPool(closer, market.databaseUrl);
  const database = await openDatabaseWire(closer, { url: market.databaseUrl, probability: resets.database, random });
  const account = await startAccountProcess(closer, database.url, { rpc: market.rpc.variablesOf('account') });
  const gateways: EdgeGateway[] = [];
  for (let at = 0; at < total; at += 1) {
    const wire = await openWire(closer, { port: account.port, probability: resets.account, random });
    const process = await startProcess(closer, 'gateway', {
      ...market.rpc.variablesOf('gateway'),
      REDIS_URL: market.redisUrl,
      GATEWAY_COUNT: String(total),
      QUOTE_SECRET: SECRET,
      LINK_SECRET: SECRET,
      ACCOUNT_ADDRESS: `127.0.0.1:${wire.port}`,
      LABELING_ADDRESS: market.labelingAddress,
      DATA_PLANE_ADDRESS: market.dataPlaneAddress,
      EXPORT_ADDRESS: market.exportAddress,
      WEBHOOK_ADDRESS: market.webhookAddress,
      MCP_ADDRESS: market.mcpAddress,
      ...settings,
    });
    gateways.push({ url: `http://${process.address}`, process, wire });
  }
  const urls = [account.opsUrl, ...gateways.map(({ url }) => url)];
  return {
    gateways,
    account,
    databaseWire: database.wire,
    pool,
    tenants: openTenants(closer, account.address, market.rpc.identityOf('operator')),
    async ready() {
      const signal = timeLimit(READY_MS_MAX);
      await Promise.all(urls.map((url) => waitForOk(`${url}/readyz`, signal)));
    },
    async stopGateways() {
      await Promise.all(gateways.map(({ process }) => process.stop()));
    },
  };
}
