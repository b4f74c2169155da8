import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { startStandInAccount } from '../tests/stand-in/account';
import { startStandInDataPlane } from '../tests/stand-in/data-plane';
import { http } from '../tests/stand-in/http-client';
import { startStandInLabeling } from '../tests/stand-in/labeling';
import { packetRecord } from '../tests/stand-in/packet-record';
import type { ServerQuestion } from './latest-server';
import { runLoad } from './load';

const ROUNDS = 4;
const ROUND_MS = 3_000;
const CONNECTIONS = 32;
const LATEST = '/api/public/market-state/latest?symbol=BTCUSD-PERP';

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
  const child = fork(script, [...args], { execArgv: [] });
  return { child, port: await answer(child) };
}

/** CPU of the server per request in one round, microseconds. */
async function round({ child, port }: ServerProcess, request: Buffer, durationMs: number): Promise<number> {
  const before = await ask(child, { ask: 'cpu' });
  const total = await runLoad({ port, request, connectionTotal: CONNECTIONS, durationMs });
  return ((await ask(child, { ask: 'cpu' })) - before) / total;
}

function requestText(headers: readonly string[]): Buffer {
  return Buffer.from([`GET ${LATEST} HTTP/1.1`, 'Host: localhost', 'Accept: */*', 'User-Agent: bench', ...headers, '', ''].join('\r\n'));
}

async function bundleServer(folder: string): Promise<string> {
  const outfile = join(folder, 'latest-server.cjs');
  await build({ entryPoints: [join(__dirname, 'latest-server.ts')], outfile, bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'error', external: ['pg-native'] });
  return outfile;
}

/** Prints the CPU per request of `latest` as a ratio to a bare server that sends a buffer of the same size, in one run. */
async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-bench-'));
  const account = await startStandInAccount();
  const labeling = await startStandInLabeling(['BTCUSD-PERP']);
  const dataPlane = await startStandInDataPlane(['BTCUSD-PERP']);
  const push = (): void => labeling.push(packetRecord('BTCUSD-PERP', Math.floor(Date.now() / 10_000) * 10_000));
  push();
  const packets = setInterval(push, 10_000);
  const script = await bundleServer(folder);
  const gateway = await start(script, ['gateway', account.address, labeling.address, dataPlane.address]);
  const keyHeader = `x-market-state-api-key: ${account.issue()}`;
  const url = `http://127.0.0.1:${gateway.port}`;
  while ((await http(`${url}/readyz`)).status !== 200);
  const first = await http(url + LATEST, { headers: { 'x-market-state-api-key': keyHeader.slice(24) } });
  const bare = await start(script, ['bare', String(first.bytes.length)]);

  const plain = requestText([]);
  const keyed = requestText([keyHeader]);
  await round(bare, plain, 1_000);
  await round(gateway, keyed, 2_000);
  const upstreamBefore = await ask(gateway.child, { ask: 'upstream_calls' });
  const ratios: number[] = [];
  for (let index = 0; index < ROUNDS; index += 1) {
    const bareUs = await round(bare, plain, ROUND_MS);
    const gatewayUs = await round(gateway, keyed, ROUND_MS);
    ratios.push(bareUs / gatewayUs);
    console.log(`round ${index + 1}: bare ${bareUs.toFixed(1)} us, latest ${gatewayUs.toFixed(1)} us of CPU a request, ratio ${(bareUs / gatewayUs).toFixed(3)}`);
  }
  const upstreamCalls = (await ask(gateway.child, { ask: 'upstream_calls' })) - upstreamBefore;
  ratios.sort((a, b) => a - b);
  console.log(`latest: body ${first.bytes.length} bytes, unary calls while measured ${upstreamCalls}, median ratio ${(((ratios[1] ?? 0) + (ratios[2] ?? 0)) / 2).toFixed(3)}`);
  clearInterval(packets);
  for (const { child } of [bare, gateway]) child.kill('SIGKILL');
  await Promise.all([account.close(), labeling.close(), dataPlane.close()]);
  rmSync(folder, { recursive: true });
}

void main();
