import type { RpcAccess, System } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { opsUrlOf, startSystem } from '@market-state/testing';

const MARKET_STATE = '/api/public/market-state';

export const LATEST = `${MARKET_STATE}/latest?symbol=BTCUSD-PERP`;
export const KEYS = `${MARKET_STATE}/account/keys`;
export const CHECKOUT = `${MARKET_STATE}/account/billing/checkout-session`;
export const TRADES = '/api/public/data/trades/latest?symbol=BTCUSD-PERP';
export const BOOK = '/api/public/data/book/l2/latest?symbol=BTCUSD-PERP';

/** Faster than the clock, so that packets are fresh however long the start took. */
const SPEED = '3';

/** The processes behind a gateway that a call may reach. */
const SERVED = ['account', 'data-plane-feed', 'data-plane-recorder', 'data-plane', 'labeling', 'export', 'export-worker', 'webhook'];

/** A recorded market that is served, on stores of its own; the suites run gateways and account services of their own on it. */
export interface Market {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Of the account service of its own. */
  readonly accountAddress: string;
  /** Where the metrics of its data plane are. */
  readonly dataPlaneOpsUrl: string;
  readonly labelingAddress: string;
  readonly dataPlaneAddress: string;
  readonly exportAddress: string;
  readonly webhookAddress: string;
  readonly mcpAddress: string;
  /** Of the installation that serves it, which those of the suites join. */
  readonly rpc: RpcAccess;
}

interface MarketSettings {
  /** Plays at its own speed, with rows from the last full hour on; else faster than the clock, from now on. Default false. */
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
