import { waitForOk } from '@market-state/launcher';
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
} from '@market-state/testing';
import type { Market } from './market';
import { openPool } from '../harness';

const READY_MS_MAX = 180_000;

/** A gateway as a process of its own, with a wire of its own to the account service. */
export interface EdgeGateway {
  readonly url: string;
  readonly process: KillableProcess;
  readonly wire: Wire;
}

/** Gateways before one account service, every connection between them and to the database through a wire that can break. */
export interface Edge {
  readonly gateways: readonly EdgeGateway[];
  readonly account: KillableProcess;
  readonly databaseWire: Wire;
  /** The account service's own database, past the wire. */
  readonly pool: Pool;
  readonly tenants: Tenants;
  /** Resolves when every process says that it is ready. */
  ready(): Promise<void>;
  /** Stops the gateways as an operator would: they post what they charged and give their leases back. */
  stopGateways(): Promise<void>;
}

export interface EdgeSettings {
  readonly gateways: number;
  readonly random: () => number;
  /** Probability that a wire breaks at a piece of data, of each kind of wire; none by default. */
  readonly resets?: { readonly account: number; readonly database: number };
  /** Variables of the gateways in place of their defaults. */
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
