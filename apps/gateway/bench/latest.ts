import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStores, testRpcVariables } from '@market-state/testing';
import { build } from 'esbuild';
import { startStandInAccount } from '../tests/stand-in/account';
import { http } from '../tests/stand-in/http-client';
import type { ServerQuestion } from './latest-server';
import { runLoad } from './load';

const ROUNDS = 8;
const ROUND_MS = 1_000;
const CONNECTIONS = 32;
/** Callers with a rate above any plan's, so that none is refused. */
const TENANTS = 4;
const LATEST = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
const VIEW = '/api/public/market-state/crowding-regime/latest?symbol=BTCUSD-PERP';

interface ServerProcess {
  readonly child: ChildProcess;
  readonly port: number;
}

async function answer(child: ChildProcess): Promise<number> {
  const [message] = (await once(child, 'message')) as [{ value: number }];
  return message.value;
}

async function ask(child: ChildProcess, question: ServerQuestion): Promise<number> {
  const reply = answer(child);
  child.send(question);
  return reply;
}

async function start(script: string, args: readonly string[]): Promise<ServerProcess> {
  const child = fork(script, [...args], { execArgv: [], env: { ...process.env, ...testRpcVariables('gateway') } });
  return { child, port: await answer(child) };
}

/** Server CPU per request in one round, in microseconds. */
async function round({ child, port }: ServerProcess, requests: readonly Buffer[], durationMs: number): Promise<number> {
  const before = await ask(child, { ask: 'cpu' });
  const total = await runLoad({ port, requests, durationMs });
  return ((await ask(child, { ask: 'cpu' })) - before) / total;
}

function requestText(path: string, headers: readonly string[]): Buffer {
  return Buffer.from([`GET ${path} HTTP/1.1`, 'Host: localhost', 'Accept: */*', 'User-Agent: bench', ...headers, '', ''].join('\r\n'));
}

async function bundleServer(folder: string): Promise<string> {
  const outfile = join(folder, 'latest-server.cjs');
  // The served packet is read from the docs, relative to its module.
  const define = { 'import.meta.dirname': JSON.stringify(join(import.meta.dirname, '..', 'tests', 'stand-in')) };
  await build({
    entryPoints: [join(import.meta.dirname, 'latest-server.ts')],
    outfile,
    define,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'error',
    external: ['pg-native'],
  });
  return outfile;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}

/**
 * Prints the CPU per request of `latest`, relative to a bare server that sends a buffer of the same size: as served,
 * without read statistics, with traces, without limits and charges, behind Express; and of a view of the newest packet.
 */
async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-bench-'));
  const stores = await startStores({ services: [] });
  const account = await startStandInAccount();
  const script = await bundleServer(folder);
  const plan = { planId: 'enterprise', ratePerSecond: 10_000, burst: 40_000 };
  const keys = Array.from({ length: TENANTS }, (_unused, index) => account.issue({ tenantId: `ten_${index}`, plan }));
  const variants = ['metered', 'uncounted', 'traced', 'unmetered', 'express', 'view'] as const;
  const pathOf = (variant: string): string => (variant === 'view' ? VIEW : LATEST);
  const servers = new Map<string, ServerProcess>();
  const bodySizes = new Map<string, number>();
  for (const variant of variants) {
    const server = await start(script, [variant, account.address, stores.redisUrl]);
    servers.set(variant, server);
    const url = `http://127.0.0.1:${server.port}`;
    const { status, bytes } = await http(url + pathOf(variant), { headers: { 'x-market-state-api-key': keys[0] ?? '' } });
    if (status !== 200) throw new Error(`${variant} answers ${status}: ${bytes.toString()}`);
    bodySizes.set(variant, bytes.length);
  }
  const bare = await start(script, ['bare', String(bodySizes.get('metered'))]);
  const connections = Array.from({ length: CONNECTIONS }, (_unused, index) => keys[index % TENANTS]);
  const plain = connections.map(() => requestText(LATEST, []));
  const keyed = (variant: string) => connections.map((key) => requestText(pathOf(variant), [`x-market-state-api-key: ${key}`]));
  await round(bare, plain, 1_000);
  for (const [variant, server] of servers) await round(server, keyed(variant), 2_000);
  const ratios = new Map<string, number[]>(variants.map((variant) => [variant, []]));
  const calls = new Map<string, number>();
  for (const [variant, { child }] of servers) calls.set(variant, await ask(child, { ask: 'upstream_calls' }));
  for (let index = 0; index < ROUNDS; index += 1) {
    const bareUs = await round(bare, plain, ROUND_MS);
    const parts = [`bare ${bareUs.toFixed(1)} us`];
    for (const [variant, server] of servers) {
      const us = await round(server, keyed(variant), ROUND_MS);
      ratios.get(variant)?.push(bareUs / us);
      parts.push(`${variant} ${us.toFixed(1)} us (${(bareUs / us).toFixed(3)})`);
    }
    console.log(`round ${index + 1}, CPU a request: ${parts.join(', ')}`);
  }
  for (const [variant, { child }] of servers) {
    const unary = (await ask(child, { ask: 'upstream_calls' })) - (calls.get(variant) ?? 0);
    console.log(
      `latest ${variant}: body ${bodySizes.get(variant)} bytes, unary calls to account while measured ${unary}, median ratio ` +
        `${median(ratios.get(variant) ?? []).toFixed(3)}`,
    );
  }
  for (const { child } of [bare, ...servers.values()]) child.kill('SIGKILL');
  await account.close();
  await stores.stop();
  rmSync(folder, { recursive: true });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
