import { type RpcAccess, startSystem, type System } from '@market-state/launcher';

const READY_MS_MAX = 180_000;
/** Faster than the clock, so that packets are fresh however long the start took. */
const SPEED = '3';

/** A recorded market that is served, on stores of its own; the proofs run gateways and account services of their own on it. */
export interface Market {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Of the account service of its own. */
  readonly accountAddress: string;
  /** Where the metrics of its data plane are. */
  readonly dataPlaneOpsUrl: string;
  readonly labelingAddress: string;
  readonly dataPlaneAddress: string;
  /** Of the installation that serves it, which those of the proofs join. */
  readonly rpc: RpcAccess;
  stop(): Promise<void>;
}

export interface MarketSettings {
  /** Plays at its own speed, with rows from the last full hour on; else faster than the clock, from now on. Default false. */
  readonly withHistory?: boolean;
}

export async function startMarket({ withHistory = false }: MarketSettings = {}): Promise<Market> {
  const pace = withHistory ? {} : { FEED_START: String(Date.now()), FEED_SPEED: SPEED };
  const system = await startSystem({ settings: { FEED: 'recording', ...pace, SYMBOLS: 'BTCUSD-PERP', LOG_LEVEL: 'error' } });
  try {
    await system.ready(AbortSignal.timeout(READY_MS_MAX));
  } catch (error) {
    await system.stop();
    throw error;
  }
  return {
    databaseUrl: system.stores.postgresUrl('account'),
    redisUrl: system.stores.redisUrl,
    rpc: system.rpc,
    accountAddress: addressOf(system, 'account'),
    dataPlaneOpsUrl: `http://127.0.0.1:${system.processes.portsOf('data-plane').ops}`,
    labelingAddress: addressOf(system, 'labeling'),
    dataPlaneAddress: addressOf(system, 'data-plane'),
    stop: () => system.stop(),
  };
}

/** Runs a proof on a market of its own. */
export async function withMarket<T>(work: (market: Market) => Promise<T>, settings: MarketSettings = {}): Promise<T> {
  const market = await startMarket(settings);
  try {
    return await work(market);
  } finally {
    await market.stop();
  }
}

function addressOf(system: System, name: string): string {
  return `127.0.0.1:${system.processes.portsOf(name).grpc}`;
}
