import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@market-state/launcher';
import { testRpcVariables } from './rpc';
import { bundleOf } from './start-system';
import { waitUntil } from './wait-until';

/** The account service alone. */
export interface AccountProcess {
  /** `host:port` of its RPCs. */
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * The account service from its bundle, in a process of its own, on a database with its migrations, as `startStores` gives: trials are
 * allowed, no payments are taken, mail goes to a folder that is removed with it.
 * @throws Error when it is not ready within 30 s
 */
export async function startAccountProcess(databaseUrl: string): Promise<AccountProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'account-outbox-'));
  const [grpcPort, opsPort] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${grpcPort}`;
  const child = spawn(process.execPath, [bundleOf('account')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      LOG_LEVEL: 'silent',
      GRPC_ADDRESS: address,
      OPS_PORT: String(opsPort),
      DATABASE_URL: databaseUrl,
      ...testRpcVariables('account'),
      ANSWER_SECRET: 'a secret of tests, 32 bytes or more',
      ALLOW_TRIALS: 'true',
      PUBLIC_BASE_URL: 'https://market-state.example',
      OUTBOX_DIR: folder,
      SHUTDOWN_WAIT_MS: '0',
    },
  });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntil('the account service is ready', async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, stop };
}
