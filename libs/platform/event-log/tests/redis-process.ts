import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private Redis that the test can stop, kill and restart on the same port. */
export interface RedisProcess {
  readonly url: string;
  start(): Promise<void>;
  /** `SIGKILL` loses unflushed writes. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  remove(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** `persistent` flushes every write to disk before acknowledging it. */
export async function createRedisProcess(options: { persistent: boolean }): Promise<RedisProcess> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'market-state-redis-'));
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const persistence = options.persistent ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
    child = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--maxmemory-policy', 'noeviction', ...persistence],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const { stdout } = child;
    if (stdout === null) throw new Error('redis-server has no output');
    for await (const chunk of stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (chunk.includes('Ready to accept connections')) break;
    }
    stdout.resume();
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    async remove() {
      await stop('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
