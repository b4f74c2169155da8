import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { freePort, waitForOk, warden, ownInstallation } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { bundleOf } from '../start-system';
import { openFolder } from '../open-folder';

/** For settings that are secrets of a service. */
export const SECRET = 'a secret of the tests, 32 bytes or more';

interface AccountSettings {
  /** The variables by which it knows its callers; by default those of this process's installation. */
  readonly rpc?: NodeJS.ProcessEnv;
  /** Variables in place of the defaults. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The account service in a process of its own, on a migrated database; its mail goes to a folder that is removed at the end. */
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
  /** Sent when this process is gone; SIGKILL follows after 5 s. By default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** Spawns a program in a process group of its own, which the launcher's warden ends when this process is gone, however it ends. */
export function spawnOwned(command: string, args: readonly string[], { stopSignal = 'SIGTERM', ...options }: OwnedOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) {
    warden().own(pid, stopSignal);
    child.once('exit', () => warden().disown(pid));
  }
  return child;
}

/** Signals a process and resolves when it has ended; does nothing if it has ended already. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Ends a start that hangs; no bound on how long one may take on a busy machine. */
const READY_MS_MAX = 240_000;

/** A bundle under dist/ that runs in a process of its own and can be killed and started again on the same ports. */
export interface KillableProcess {
  /** Loopback port of what it serves, HTTP or RPC. */
  readonly port: number;
  /** `host:port` of what it serves. */
  readonly address: string;
  /** Base URL of its metrics and health. */
  readonly opsUrl: string;
  /** Resolves when its health check passes. @throws Error after four minutes */
  ready(): Promise<void>;
  /** SIGKILL, and a new one at once. */
  killAndRestart(): Promise<void>;
  /** SIGSTOP: it does nothing, and its connections stay, until it is thawed. */
  freeze(): void;
  /** SIGCONT */
  thaw(): void;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
}

/** @param env its settings, besides its ports and what every process has here */
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
