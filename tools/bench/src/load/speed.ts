import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort, waitForOk, workspaceRoot } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { cpuMsBelow, cpuMsOf, endProcess, spawnOwned } from '@market-state/testing';
import { drive, type LoadScene, lineOf } from './drive';

const WRK_CONNECTIONS = 64;

interface WrkResult {
  readonly requests: number;
  readonly durationUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly bad: number;
  readonly broken: number;
}

/** Answers counted by wrk at full speed; undefined without wrk on this machine. */
async function runWrk(url: string, keys: readonly string[], seconds: number): Promise<WrkResult | undefined> {
  const script = join(workspaceRoot(), 'tools', 'bench', 'src', 'load', 'rotate-keys.lua');
  try {
    const { stdout } = await promisify(execFile)('wrk', ['-t1', `-c${WRK_CONNECTIONS}`, `-d${seconds}s`, '-s', script, url, '--', ...keys]);
    return JSON.parse(/^result (.*)$/m.exec(stdout)?.[1] ?? '') as WrkResult;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Debian's path, which is not always on PATH. */
const PROGRAM = '/usr/sbin/nginx';
const START_MS_MAX = 10_000;

interface Nginx {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * An nginx with one worker that serves one file of this size, without a log; undefined without nginx on this machine.
 */
async function startNginx(bytes: number): Promise<Nginx | undefined> {
  if (!existsSync(PROGRAM)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'market-state-bench-nginx-'));
  // If started by root, its worker runs as another user.
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

const SECONDS = 6;
const CONNECTIONS = 2;

interface Requested {
  readonly name: string;
  readonly url: string;
  readonly cpuMs: () => number;
}

/** @returns the gateway's maximum */
export async function measureSpeed(scene: LoadScene, bytes: number): Promise<number> {
  const { system, url, say } = scene;
  const pid = system.processes.process('gateway').pid ?? 0;
  const gateway = await print(scene, { name: 'gateway', url, cpuMs: () => cpuMsOf(pid) });
  const nginx = await startNginx(bytes);
  if (nginx === undefined) {
    say('nginx, a file of the same size: not measured, not installed on this machine');
    return gateway;
  }
  try {
    await print(scene, { name: `nginx, a file of ${bytes} bytes`, url: nginx.url, cpuMs: () => cpuMsBelow(nginx.pid, 0) });
  } finally {
    await nginx.stop();
  }
  return gateway;
}

async function print({ keys, say }: LoadScene, { name, url, cpuMs }: Requested): Promise<number> {
  let before = cpuMs();
  const report = await drive({ url, keys, perSecond: null, connections: CONNECTIONS, seconds: SECONDS });
  const answered = Object.values(report.statuses).reduce((sum, total) => sum + total, 0);
  say(`${name} at full speed, by autocannon: ${lineOf(report)}; CPU ${(((cpuMs() - before) * 1_000) / answered).toFixed(0)} us per answer`);
  before = cpuMs();
  const wrk = await runWrk(url, keys, SECONDS);
  if (wrk === undefined) {
    say(`${name} by wrk: not measured, not installed on this machine`);
    return answered / report.seconds;
  }
  const perSecond = (wrk.requests / wrk.durationUs) * 1_000_000;
  say(
    `${name} at full speed, by wrk: ${perSecond.toFixed(0)}/s, p50 ${(wrk.p50Us / 1_000).toFixed(1)} ms, p99 ` +
      `${(wrk.p99Us / 1_000).toFixed(1)} ms, refused ${wrk.bad}, broken ${wrk.broken}; CPU ` +
      `${(((cpuMs() - before) * 1_000) / wrk.requests).toFixed(0)} us per answer`,
  );
  return Math.max(answered / report.seconds, perSecond);
}
