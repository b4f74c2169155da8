import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { freePort, waitForOk, processGuard, ownInstallation } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { bundleOf } from '../start-system';
import { openFolder } from '../open-folder';

export const SECRET = 'a secret of the tests, 32 bytes or more';

interface AccountSettings {
  /** Variables that authenticate its callers; default: this process's installation. */
  readonly rpc?: NodeJS.ProcessEnv;
  readonly env?: NodeJS.ProcessEnv;
}

export function startAccountProcess(
  closer: Closer,
  databaseUrl: string,
  { rpc = { RPC_TOKEN_FILE: ownInstallation().writeTokenFile('account') }, env = {} }: AccountSettings = {},
): Promise<KillableProcess> {
  return startProcess(closer, 'account', {
    DATABASE_URL: databaseUrl,
    ANSWER_SECRET: SECRET,
    PUBLIC_BASE_URL: 'http://127.0.0.1:1',
    OUTBOX_DIR: openFolder(closer),
    ...rpc,
    ...env,
  });
}

interface OwnedOptions extends SpawnOptions {
  /** Sent when this process exits; SIGKILL follows after 5 s. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** The launcher's cleanup process ends the group when this process exits. */
export function spawnOwned(command: string, args: readonly string[], { stopSignal = 'SIGTERM', ...options }: OwnedOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) {
    processGuard().own(pid, stopSignal);
    child.once('exit', () => processGuard().disown(pid));
  }
  return child;
}

export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Ends a hung start; not a bound on busy machines. */
const READY_MS_MAX = 240_000;

/** A bundle that can be killed and restarted on the same ports. */
export interface KillableProcess {
  readonly port: number;
  readonly address: string;
  readonly opsUrl: string;
  /** Resolves when its health check passes. @throws Error after four minutes */
  ready(): Promise<void>;
  /** SIGKILL, followed by an immediate restart. */
  killAndRestart(): Promise<void>;
  /** SIGSTOP: stops it, with its connections open, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM; resolves on exit. */
  stop(): Promise<void>;
}

/** @param env settings in addition to its ports and the common ones */
export async function startProcess(closer: Closer, name: string, env: NodeJS.ProcessEnv): Promise<KillableProcess> {
  const [port, opsPort] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const opsUrl = `http://127.0.0.1:${opsPort}`;
  const shared = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    NODE_ENV: 'development',
    LOG_LEVEL: 'fatal',
    SHUTDOWN_WAIT_MS: '0',
    // A service reads one of the two.
    PORT: String(port),
    GRPC_ADDRESS: address,
    OPS_PORT: String(opsPort),
  };
  const file = bundleOf(name);
  const start = (): ChildProcess =>
    spawnOwned(process.execPath, [file], { env: { ...shared, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  let running = start();
  const thaw = (): void => void running.kill('SIGCONT');
  const stop = (): Promise<void> => {
    thaw();
    return endProcess(running, 'SIGTERM');
  };
  closer.add(name, stop);
  return {
    port,
    address,
    opsUrl,
    ready: () => waitForOk(`${opsUrl}/readyz`, timeLimit(READY_MS_MAX)),
    stop,
    freeze: () => void running.kill('SIGSTOP'),
    thaw,
    async killAndRestart() {
      await endProcess(running, 'SIGKILL');
      running = start();
    },
  };
}
