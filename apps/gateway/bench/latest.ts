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

const ROUNDS = 12;
const ROUND_REQUESTS = 6_000;
const LEAD_IN_REQUESTS = 200;
const WARM_UP_REQUESTS = 8_000;
const CONNECTIONS = 32;
/** Callers with a rate above any plan's, so that none is refused. */
const TENANTS = 4;
const LATEST = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
const RIGHTS = '/api/public/data/status/rights';
/** The same route for the session of a browser. */
const WORKSPACE_RIGHTS = '/api/public/market-state/workspace/data/status/rights';
const VIEW = '/api/public/market-state/crowding-regime/latest?symbol=BTCUSD-PERP';

interface Variant {
  readonly name: string;
  readonly path: string;
  /** Sent with a session instead of a key; default false. */
  readonly session?: boolean;
}

const VARIANTS: readonly Variant[] = [
  ...['metered', 'uncounted', 'traced', 'unmetered', 'express'].map((name) => ({ name, path: LATEST })),
  { name: 'view', path: VIEW },
  { name: 'full', path: RIGHTS },
  { name: 'full-session', path: WORKSPACE_RIGHTS, session: true },
];

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
  const profile = process.env['BENCH_PROFILE'];
  const execArgv = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${args[0]}.cpuprofile`];
  const child = fork(script, [...args], { execArgv, env: { ...process.env, ...testRpcVariables('gateway') } });
  return { child, port: await answer(child) };
}

/**
 * Server CPU per request in one round, in microseconds. Rounds count requests: a busy machine only takes longer. The
 * first requests after a pause, which renew leases and rate shares, are not measured.
 */
async function round({ child, port }: ServerProcess, requests: readonly Buffer[], total: number): Promise<number> {
  await runLoad({ port, requests, total: LEAD_IN_REQUESTS });
  const before = await ask(child, { ask: 'cpu' });
  await runLoad({ port, requests, total });
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
  const sessions = keys.map(
    (_key, index) => `svc_market_state_session=${account.openSession(`${index}@example.com`, `ten_session_${index}`)}`,
  );
  const named = process.argv.slice(2);
  const variants = VARIANTS.filter(({ name }) => named.length === 0 || named.includes(name));
  const servers = new Map<string, ServerProcess>();
  const bodySizes = new Map<string, number>();
  for (const { name, path, session } of variants) {
    const server = await start(script, [name, account.address, stores.redisUrl]);
    servers.set(name, server);
    const headers = { [session === true ? 'cookie' : 'x-market-state-api-key']: (session === true ? sessions : keys)[0] ?? '' };
    const { status, bytes } = await http(`http://127.0.0.1:${server.port}${path}`, { headers });
    if (status !== 200) throw new Error(`${name} answers ${status}: ${bytes.toString()}`);
    bodySizes.set(name, bytes.length);
  }
  const bare = await start(script, ['bare', String(Math.max(...bodySizes.values()))]);
  const each = (textOf: (tenant: number) => Buffer): Buffer[] =>
    Array.from({ length: CONNECTIONS }, (_unused, index) => textOf(index % TENANTS));
  const plain = each(() => requestText(LATEST, []));
  const requests = new Map(
    variants.map(({ name, path, session }) => [
      name,
      each((tenant) => requestText(path, [session === true ? `cookie: ${sessions[tenant]}` : `x-market-state-api-key: ${keys[tenant]}`])),
    ]),
  );
  await round(bare, plain, WARM_UP_REQUESTS);
  for (const [name, server] of servers) await round(server, requests.get(name) ?? [], WARM_UP_REQUESTS);
  const bareTimes: number[] = [];
  const times = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
  const calls = new Map<string, number>();
  for (const [name, { child }] of servers) calls.set(name, await ask(child, { ask: 'upstream_calls' }));
  for (let index = 0; index < ROUNDS; index += 1) {
    const bareUs = await round(bare, plain, ROUND_REQUESTS);
    bareTimes.push(bareUs);
    const parts = [`bare ${bareUs.toFixed(1)} us`];
    for (const [name, server] of servers) {
      const us = await round(server, requests.get(name) ?? [], ROUND_REQUESTS);
      times.get(name)?.push(us);
      parts.push(`${name} ${us.toFixed(1)} us (${(bareUs / us).toFixed(3)})`);
    }
    console.log(`round ${index + 1}, CPU a request: ${parts.join(', ')}`);
  }
  for (const [name, { child }] of servers) {
    const unary = (await ask(child, { ask: 'upstream_calls' })) - (calls.get(name) ?? 0);
    const own = times.get(name) ?? [];
    const ratio = median(own.map((us, index) => (bareTimes[index] ?? 0) / us));
    console.log(
      `${name}: body ${bodySizes.get(name)} bytes, unary calls to account while measured ${unary}, CPU median ${median(own).toFixed(1)} us, ` +
        `least ${Math.min(...own).toFixed(1)} us, median ratio ${ratio.toFixed(3)}, ratio of the least ${(Math.min(...bareTimes) / Math.min(...own)).toFixed(3)}`,
    );
  }
  for (const { child } of [bare, ...servers.values()]) {
    child.disconnect();
    await once(child, 'exit');
  }
  await account.close();
  await stores.stop();
  rmSync(folder, { recursive: true });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
