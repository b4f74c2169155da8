import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLine, comesTrue, keyOfNewTenant, waitUntil } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import type { CliScene } from './scene';

const SYMBOL = 'BTCUSD-PERP';
const STALE_MS_MAX = 120_000;
/** More calls at once than the plan of the key has room for. */
const FLOOD_CALLS = 120;
/** Callers who take every call of the rate as it comes free. */
const FLOODERS = 24;
const REFUSED_MS_MAX = 60_000;

/** Expects an exit code, and words on stderr. */
type Expect = (exitCode: number, args: readonly string[], words?: RegExp, by?: CommandLine) => Promise<void>;

/** Each exit code, provoked by what it stands for. */
export async function verifyExitCodes(context: SuiteContext, scene: CliScene): Promise<void> {
  const { report } = context;
  const { cli } = scene;
  const seen = new Set<number>();
  const expect: Expect = async (exitCode, args, words = /^/, by = cli) => {
    const outcome = await by.run(args);
    report.check(outcome.exitCode === exitCode, `${args.join(' ')} exits with ${outcome.exitCode}, not ${exitCode}: ${outcome.stderr}`);
    report.check(words.test(outcome.stderr), `${args.join(' ')} does not say ${String(words)}: ${outcome.stderr}`);
    seen.add(outcome.exitCode);
  };
  const nowMs = Date.now();
  await expect(0, ['get', 'latest', SYMBOL]);
  await tamperedDump(scene, expect);
  await expect(2, ['history', SYMBOL, '--state', 'no_such_state', '--limit', '0'], /no_such_state|state/);
  await expect(2, ['get', 'latest', 'NOSUCHUSD-PERP'], /404|422/);
  const old = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T01:00:00Z'];
  const oldest = /410 beyond_retention: .*before \d{4}-\d\d-\d\dT[\d:.]+Z/;
  await expect(3, ['replay', SYMBOL, ...old], oldest);
  await expect(3, ['history', SYMBOL, ...old], oldest);
  await expect(3, ['get', 'latest', '--url', 'http://127.0.0.1:2'], /cannot be reached/);
  await expect(4, ['export', 'list'], /401/, cli.with({ MARKET_STATE_API_KEY: 'msk_live_unknown' }));
  await expect(4, ['export', 'list'], /403/, cli.with({ MARKET_STATE_API_KEY: await makeKey(cli, ['--scopes', 'read']) }));
  await expect(5, ['get', 'latest', 'ALL', '--max-credits', '1'], /402 quote_exceeded/);
  const bounded = cli.with({ MARKET_STATE_API_KEY: await makeKey(cli, ['--scopes', 'read', '--ceiling', '2']) });
  await expect(0, ['get', 'latest', SYMBOL], /^/, bounded);
  await expect(5, ['get', 'latest', 'ALL'], /402 credit_ceiling/, bounded);
  await floodedKey(context, scene, expect);
  await expect(6, ['replay', SYMBOL, '--from', String(nowMs - 20_000), '--channels', 'trades'], /PARTIAL \(.*window_not_finished/);
  await staleFeed(scene, expect);
  const codes = [0, 1, 2, 3, 4, 5, 6];
  report.check(
    codes.every((code) => seen.has(code)),
    `Of the exit codes only ${[...seen].sort().join(', ')} were seen.`,
  );
  report.figure('exit codes that were provoked', [...seen].sort().join(', '));
}

async function makeKey(cli: CommandLine, options: readonly string[]): Promise<string> {
  return (await cli.run(['account', 'keys', 'create', '--name', 'codes', ...options])).stdout.trim();
}

/** A dump in which one packet was changed. */
async function tamperedDump({ folder, system }: CliScene, expect: Expect): Promise<void> {
  const span = ['--symbol', SYMBOL, '--from', String(Date.now() - 300_000), '--data-dir', system.dataDir];
  await expect(0, ['dump', ...span, '--out', 'dump.ndjson']);
  await expect(0, ['verify', 'dump.ndjson']);
  const lines = readFileSync(join(folder, 'dump.ndjson'), 'utf8').split('\n');
  const at = lines.findLastIndex((line) => line.includes('"schema":"market_state_packet_row.v1"'));
  lines[at] = (lines[at] ?? '').replace(/"mid_price":(\d)/, (_, digit: string) => `"mid_price":${(Number(digit) % 9) + 1}`);
  writeFileSync(join(folder, 'changed.ndjson'), lines.join('\n'));
  await expect(1, ['verify', 'changed.ndjson']);
}

/** A key whose rate is used up: a call waits as it is told and is then answered; while others go on using it up, it ends with 5. */
async function floodedKey({ report }: SuiteContext, { system, cli }: CliScene, expect: Expect): Promise<void> {
  const key = await keyOfNewTenant(system, 'public_builder');
  const flooded = cli.with({ MARKET_STATE_API_KEY: key });
  const latest = `${system.url}/api/public/market-state/latest?symbol=${SYMBOL}&view=compact`;
  const call = async (): Promise<number> => {
    const answer = await fetch(latest, { headers: { 'x-market-state-api-key': key } });
    await answer.arrayBuffer();
    return answer.status;
  };
  const statuses = await Promise.all(Array.from({ length: FLOOD_CALLS }, call));
  report.check(statuses.includes(429), `${FLOOD_CALLS} calls at once of one key were all answered.`);
  const startedMs = performance.now();
  await expect(0, ['get', 'latest', SYMBOL], /^/, flooded);
  report.figure('a call whose rate was used up waited and was answered after, ms', Math.round(performance.now() - startedMs));
  let isOn = true;
  const flooding = Promise.all(
    Array.from({ length: FLOODERS }, async () => {
      while (isOn) await call();
    }),
  );
  try {
    // Now and then a call finds one that has just come free.
    const isRefused = async (): Promise<boolean> => {
      const { exitCode, stderr } = await flooded.run(['get', 'latest', SYMBOL]);
      return exitCode === 5 && /429 \w+: [\s\S]*It asks to wait \d+ s\./.test(stderr);
    };
    const refused = await comesTrue(isRefused, { limitMs: REFUSED_MS_MAX, everyMs: 1 });
    report.check(refused, 'No call of a key whose rate others used up ended with 5 and how long it is asked to wait.');
  } finally {
    isOn = false;
    await flooding;
  }
}

/** What is of now, while the feed stands still. */
async function staleFeed({ system, cli }: CliScene, expect: Expect): Promise<void> {
  system.processes.signal('data-plane-feed', 'SIGSTOP');
  try {
    await waitUntil('get latest ends with 6', async () => (await cli.run(['get', 'latest', SYMBOL])).exitCode === 6, STALE_MS_MAX);
    await expect(6, ['get', 'book', SYMBOL]);
    await expect(6, ['get', 'latest', 'ALL'], /stale|not fresh/i);
  } finally {
    system.processes.signal('data-plane-feed', 'SIGCONT');
  }
  await waitUntil('get latest ends with 0 again', async () => (await cli.run(['get', 'latest', SYMBOL])).exitCode === 0, STALE_MS_MAX);
}
