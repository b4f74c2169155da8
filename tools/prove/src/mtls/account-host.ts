import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, migrate, startStores, waitForOk } from '@market-state/launcher';
import { runBundle } from '../archive/child-process';

const READY_MS_MAX = 120_000;

/** The account service as it is shipped, in a process of its own. */
export interface AccountHost {
  readonly address: string;
  /** Calls that reached a handler so far: all that are in its metrics, but those refused before one. */
  handled(): Promise<number>;
  close(): Promise<void>;
}

/** @param rpc the variables by which it knows its callers */
export async function hostAccount(rpc: NodeJS.ProcessEnv): Promise<AccountHost> {
  const stores = await startStores();
  const folder = mkdtempSync(join(tmpdir(), 'prove-mtls-outbox-'));
  const close = async (): Promise<void> => {
    await stores.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const url = stores.postgresUrl('account');
    await migrate(stores.migrationTargets(['account']));
    const [grpcPort, opsPort] = [await freePort(), await freePort()];
    const running = runBundle('account', {
      PATH: process.env['PATH'],
      TZ: 'UTC',
      NODE_ENV: rpc['TLS_CERT_FILE'] === undefined ? 'development' : 'production',
      LOG_LEVEL: 'fatal',
      SHUTDOWN_WAIT_MS: '0',
      DATABASE_URL: url,
      GRPC_ADDRESS: `127.0.0.1:${grpcPort}`,
      OPS_PORT: String(opsPort),
      ANSWER_SECRET: 'a secret of the proof, 32 bytes or more',
      PUBLIC_BASE_URL: 'http://127.0.0.1:1',
      OUTBOX_DIR: folder,
      ...rpc,
    });
    await waitForOk(`http://127.0.0.1:${opsPort}/readyz`, AbortSignal.timeout(READY_MS_MAX));
    return {
      address: `127.0.0.1:${grpcPort}`,
      handled: async () => handledIn(await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text()),
      async close() {
        await running.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function handledIn(metrics: string): number {
  const counts = metrics
    .split('\n')
    .filter((line) => line.startsWith('grpc_server_handling_seconds_count{') && !/code="(?:UNAUTHENTICATED|PERMISSION_DENIED)"/.test(line));
  return counts.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
