import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitForOk } from '@market-state/launcher';
import { createLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { Pool } from 'pg';
import { type KillableProcess, runBundle } from '../archive/child-process';
import { type ResetProxy, startResetProxy } from '../credits/reset-proxy';
import type { Market } from './market';
import { createOffice, type Office } from './office';

const READY_MS_MAX = 180_000;

/** A gateway as a process of its own, with a wire of its own to the account service. */
export interface EdgeGateway {
  readonly url: string;
  /** Where its metrics are. */
  readonly opsUrl: string;
  readonly process: KillableProcess;
  readonly wire: ResetProxy;
}

/** Gateways before one account service, every connection between them and to the database through a wire that can break. */
export interface Edge {
  readonly gateways: readonly EdgeGateway[];
  readonly account: KillableProcess;
  readonly databaseWire: ResetProxy;
  /** The account service's own database, past the wire. */
  readonly pool: Pool;
  readonly office: Office;
  /** Resolves when every process says that it is ready. */
  ready(): Promise<void>;
  /** Stops the gateways as an operator would: they post what they charged and give their leases back. */
  stopGateways(): Promise<void>;
  close(): Promise<void>;
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
  market: Market,
  { gateways: total, random, resets = { account: 0, database: 0 }, settings = {} }: EdgeSettings,
): Promise<Edge> {
  const undo: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  const undone = <T>(made: T, step: (made: T) => Promise<unknown> | void): T => {
    undo.push(async () => void (await step(made)));
    return made;
  };
  try {
    const folder = undone(mkdtempSync(join(tmpdir(), 'prove-edge-')), (path) => rmSync(path, { recursive: true, force: true }));
    const pool = undone(
      createPool({ url: market.databaseUrl, logger: createLogger('prove', { level: 'silent' }), applicationName: 'prove' }),
      (made) => made.end(),
    );
    const databaseWire = undone(await startResetProxy(Number(new URL(market.databaseUrl).port), resets.database, random), (wire) =>
      wire.close(),
    );
    const [grpcPort, opsPort] = [await freePort(), await freePort()];
    const accountEnv = {
      ...shared(),
      ...market.rpc.variablesOf('account'),
      DATABASE_URL: throughPort(market.databaseUrl, databaseWire.port),
      GRPC_ADDRESS: `127.0.0.1:${grpcPort}`,
      OPS_PORT: String(opsPort),
      OUTBOX_DIR: folder,
    };
    const account = undone(
      runBundle('account', { ...accountEnv, ANSWER_SECRET: SECRET, PUBLIC_BASE_URL: 'http://127.0.0.1:1' }),
      (process) => process.stop(),
    );
    const gateways: EdgeGateway[] = [];
    for (let at = 0; at < total; at += 1) {
      const wire = undone(await startResetProxy(grpcPort, resets.account, random), (made) => made.close());
      const [port, ownOpsPort] = [await freePort(), await freePort()];
      const process = undone(runBundle('gateway', { ...gatewayEnv(market, total, wire.port, port, ownOpsPort), ...settings }), (made) =>
        made.stop(),
      );
      gateways.push({ url: `http://127.0.0.1:${port}`, opsUrl: `http://127.0.0.1:${ownOpsPort}`, process, wire });
    }
    const office = undone(createOffice(`127.0.0.1:${grpcPort}`, market.rpc.identityOf('operator')), (made) => made.close());
    return {
      gateways,
      account,
      databaseWire,
      pool,
      office,
      async ready() {
        const signal = AbortSignal.timeout(READY_MS_MAX);
        await Promise.all(
          [`http://127.0.0.1:${opsPort}`, ...gateways.map(({ url }) => url)].map((url) => waitForOk(`${url}/readyz`, signal)),
        );
      },
      async stopGateways() {
        await Promise.all(gateways.map(({ process }) => process.stop()));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const SECRET = 'a secret of the proof, 32 bytes or more';

function shared(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], TZ: 'UTC', NODE_ENV: 'development', LOG_LEVEL: 'fatal', SHUTDOWN_WAIT_MS: '0' };
}

function gatewayEnv(market: Market, total: number, accountPort: number, port: number, opsPort: number): NodeJS.ProcessEnv {
  return {
    ...shared(),
    ...market.rpc.variablesOf('gateway'),
    PORT: String(port),
    OPS_PORT: String(opsPort),
    REDIS_URL: market.redisUrl,
    GATEWAY_COUNT: String(total),
    QUOTE_SECRET: SECRET,
    ACCOUNT_ADDRESS: `127.0.0.1:${accountPort}`,
    LABELING_ADDRESS: market.labelingAddress,
    DATA_PLANE_ADDRESS: market.dataPlaneAddress,
  };
}

function throughPort(url: string, port: number): string {
  const through = new URL(url);
  through.port = String(port);
  return through.href;
}
