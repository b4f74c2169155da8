import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@market-state/testing';

/** Flush to disk before each acknowledgement, or within a second or two. */
type FsyncPolicy = 'always' | 'everysec';

/** Redis with an append-only file that can be stopped and restarted. */
export interface RedisProcess {
  readonly url: string;
  /** Resolves once it accepts commands. */
  start(): Promise<void>;
  /** Resolves once it is gone. */
  stop(signal: NodeJS.Signals): Promise<void>;
  remove(): Promise<void>;
}

export async function createRedisProcess(fsync: FsyncPolicy): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'feed-redis-'));
  const port = await freePort();
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
    '--appendfsync',
    fsync,
  ];
  let child: ChildProcess | undefined;

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    child = undefined;
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    stop,
    async start() {
      const started = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
      child = started;
      await new Promise<void>((resolve, reject) => {
        started.on('error', reject);
        started.stdout.on('data', (piece: Buffer) => {
          if (piece.includes('Ready to accept connections')) resolve();
        });
      });
    },
    async remove() {
      await stop('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
}
