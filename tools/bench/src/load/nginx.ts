import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitForOk } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { endProcess, spawnOwned } from '@market-state/testing';

/** Where Debian has it: not in everybody's PATH. */
const PROGRAM = '/usr/sbin/nginx';
const START_MS_MAX = 10_000;

export interface Nginx {
  readonly url: string;
  /** Of the process whose child serves. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** An nginx with one process that serves one file of so many bytes, without a log; undefined when nginx is not on this machine. */
export async function startNginx(bytes: number): Promise<Nginx | undefined> {
  if (!existsSync(PROGRAM)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'market-state-bench-nginx-'));
  // Its process that serves is another user's when it is started by root.
  chmodSync(folder, 0o755);
  const port = await freePort();
  writeFileSync(join(folder, 'latest'), Buffer.alloc(bytes, 0x61));
  writeFileSync(join(folder, 'nginx.conf'), settings(folder, port));
  const child = spawnOwned(PROGRAM, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    await endProcess(child, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}/latest`;
  try {
    await waitForOk(url, timeLimit(START_MS_MAX));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid ?? 0, stop };
}

function settings(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((use) => `${use}_temp_path ${join(folder, use)};`);
  return `daemon off;
worker_processes 1;
pid ${join(folder, 'pid')};
events { worker_connections 2048; }
http {
  ${temporary.join('\n  ')}
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  open_file_cache max=10;
  default_type application/json;
  server { listen 127.0.0.1:${port}; root ${folder}; }
}
`;
}
