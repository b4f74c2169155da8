import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, programFile } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';

/** One bundle under dist/ that runs, and is started again whenever it was killed, on the same ports. */
export interface KillableProcess {
  /** Loopback port of what it serves, HTTP or RPC. */
  readonly port: number;
  /** Where its metrics and its health are. */
  readonly opsUrl: string;
  /** SIGKILL, and a new one at once. */
  killAndRestart(): Promise<void>;
  /** SIGSTOP: it does nothing, and its connections stay, until it is thawed. */
  freeze(): void;
  /** SIGCONT */
  thaw(): void;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
}

/** @param env what it needs beside the settings of every process of a suite, and its ports */
export async function startProcess(closer: Closer, name: string, env: NodeJS.ProcessEnv): Promise<KillableProcess> {
  const [port, opsPort] = [await freePort(), await freePort()];
  const shared = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    NODE_ENV: 'development',
    LOG_LEVEL: 'fatal',
    SHUTDOWN_WAIT_MS: '0',
    // What it serves is one of the two.
    PORT: String(port),
    GRPC_ADDRESS: `127.0.0.1:${port}`,
    OPS_PORT: String(opsPort),
  };
  const start = (): ChildProcess =>
    spawn(process.execPath, [programFile(name)], {
      env: { ...shared, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  let running = start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill(signal);
    await exited;
  };
  const thaw = (): void => void running.kill('SIGCONT');
  const stop = (): Promise<void> => {
    thaw();
    return end('SIGTERM');
  };
  closer.add(name, stop);
  return {
    port,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    stop,
    freeze: () => void running.kill('SIGSTOP'),
    thaw,
    async killAndRestart() {
      await end('SIGKILL');
      running = start();
    },
  };
}
