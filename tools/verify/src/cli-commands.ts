import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CommandLine,
  type Format,
  FORMATS,
  formatFault,
  readCommands,
  type System,
  comesTrue,
  keyOfNewTenant,
  waitUntil,
} from '@market-state/testing';
import type { SuiteContext, Report } from './harness';

const SYMBOL = 'BTCUSD-PERP';
const STALE_MS_MAX = 120_000;
const FLOOD_CALLS = 120;
/** Enough callers to use up every call as the rate limit frees it. */
const FLOODERS = 24;
const REFUSED_MS_MAX = 60_000;

type Expect = (exitCode: number, args: readonly string[], words?: RegExp, by?: CommandLine) => Promise<void>;

/** Provokes each exit code by its documented cause. */
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
  await expect(3, ['get', 'latest', '--url', 'http://127.0.0.1:2'], /cannot reach/);
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
    `Only the exit codes ${[...seen].sort().join(', ')} were seen.`,
  );
  report.figure('exit codes that were provoked', [...seen].sort().join(', '));
}

async function makeKey(cli: CommandLine, options: readonly string[]): Promise<string> {
  return (await cli.run(['account', 'keys', 'create', '--name', 'codes', ...options])).stdout.trim();
}

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

/**
 * A key at its rate limit: a call waits as requested and succeeds; while other callers keep the limit used up, it exits
 * with 5.
 */
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
  report.check(statuses.includes(429), `${FLOOD_CALLS} concurrent calls with one key were all answered.`);
  const startedMs = performance.now();
  await expect(0, ['get', 'latest', SYMBOL], /^/, flooded);
  report.figure('a rate-limited call waited and was answered after, ms', Math.round(performance.now() - startedMs));
  let isOn = true;
  const flooding = Promise.all(
    Array.from({ length: FLOODERS }, async () => {
      while (isOn) await call();
    }),
  );
  try {
    // Occasionally a call finds a slot that was just freed.
    const isRefused = async (): Promise<boolean> => {
      const { exitCode, stderr } = await flooded.run(['get', 'latest', SYMBOL]);
      return exitCode === 5 && /429 \w+: [\s\S]*Retry after \d+ s\./.test(stderr);
    };
    const refused = await comesTrue(isRefused, { limitMs: REFUSED_MS_MAX, everyMs: 1 });
    report.check(refused, 'No call with a rate-limited key exited with 5 and the requested wait.');
  } finally {
    isOn = false;
    await flooding;
  }
}

async function staleFeed({ system, cli }: CliScene, expect: Expect): Promise<void> {
  system.processes.signal('data-plane-feed', 'SIGSTOP');
  try {
    await waitUntil('get latest exits with 6', async () => (await cli.run(['get', 'latest', SYMBOL])).exitCode === 6, STALE_MS_MAX);
    await expect(6, ['get', 'book', SYMBOL]);
    await expect(6, ['get', 'latest', 'ALL'], /stale|not fresh/i);
  } finally {
    system.processes.signal('data-plane-feed', 'SIGCONT');
  }
  await waitUntil('get latest exits with 0 again', async () => (await cli.run(['get', 'latest', SYMBOL])).exitCode === 0, STALE_MS_MAX);
}

export interface CliScene {
  readonly system: System;
  readonly key: string;
  readonly cli: CommandLine;
  readonly folder: string;
}

const SIMULATED = 'SIMUSD-PERP';
const RECORDED = 'BTCUSD-PERP';
/** Success, or data that must not be acted on: the simulated market is silent for part of each round. */
const FINE = [0, 6];
const SECOND_MS = 1_000;

export async function verifyEveryCommand({ report, say }: SuiteContext, { cli, system }: CliScene): Promise<void> {
  let [runs, bytes] = [0, 0];
  const look = async (args: readonly string[], codes: readonly number[] = FINE): Promise<void> => {
    for (const format of FORMATS) {
      const { exitCode, stdout, stderr } = await cli.run([...args, '--output', format]);
      runs += 1;
      bytes += stdout.length;
      judge(report, `${args.join(' ')} as ${format}`, { format, exitCode, codes, stdout, stderr });
    }
  };
  for (const line of readCommands(SIMULATED)) await look(line.split(' '));
  say('reads done');
  const to = Date.now() - 120 * SECOND_MS;
  const span = ['--from', String(to - 20 * SECOND_MS), '--to', String(to)];
  await look(['replay', RECORDED, ...span, '--channels', 'trades']);
  // A credit covers 100 messages; then the tail ends with the exit code for exhausted credits.
  await look(['tail', SIMULATED, '--channels', 'book,trades', '--max-credits', '1'], [5]);
  await verifyEvent(cli, report);
  await orderExports(look, cli);
  const verified = await cli.run(['verify-export', 'candles', '--url', system.url]);
  report.check(verified.exitCode === 0, `The exported files fail verification: ${verified.stderr}`);
  await makeKeys(cli, report);
  report.figure('command lines, each in four formats', runs / FORMATS.length);
  report.figure('bytes written by them', bytes);
}

interface Shown {
  readonly format: Format;
  readonly exitCode: number;
  readonly codes: readonly number[];
  readonly stdout: string;
  readonly stderr: string;
}

function judge(report: Report, named: string, { format, exitCode, codes, stdout, stderr }: Shown): void {
  report.check(codes.includes(exitCode), `${named} exits with ${exitCode}: ${stderr}`);
  const fault = formatFault(format, stdout);
  report.check(fault === null, `${named}: ${fault}`);
  report.check(!/\bundefined\b|\[object |\bNaN\b/.test(stdout), `${named} prints an invalid value: ${stdout.slice(0, 300)}`);
}

async function verifyEvent(cli: CommandLine, report: Report): Promise<void> {
  const { stdout: newest } = await cli.run(['search', '--symbol', RECORDED, '--limit', '1', '--output', 'ndjson']);
  const { event_id: event } = JSON.parse(newest) as { readonly event_id: string };
  for (const format of ['table', 'ndjson']) {
    const { exitCode, stdout, stderr } = await cli.run(['verify', '--event', event, '--output', format]);
    report.check(exitCode === 0, `verify --event as ${format} exits with ${exitCode}: ${stderr}`);
    report.check(/EQUAL|"equal"/.test(stdout), `verify --event as ${format} does not report that all is equal: ${stdout}`);
  }
}

async function orderExports(look: (args: readonly string[]) => Promise<void>, cli: CommandLine): Promise<void> {
  const to = Date.now() - 120 * SECOND_MS;
  const order = ['--dataset', 'candles', '--symbols', RECORDED, '--format', 'csv', '--from', String(to - 600_000), '--to', String(to)];
  await look(['export', 'create', ...order, '--yes']);
  const { stdout } = await cli.run(['export', 'list', '--limit', '1', '--output', 'ndjson']);
  const { job_id: job } = JSON.parse(stdout) as { readonly job_id: string };
  await look(['export', 'wait', job]);
  await look(['export', 'download', job, '--out', 'candles']);
  await look(['export', 'review', job]);
}

async function makeKeys(cli: CommandLine, report: Report): Promise<void> {
  const created = await cli.run(['account', 'keys', 'create', '--name', 'suite', '--scopes', 'read']);
  const made = created.stdout.trim();
  report.check(/^msk_live_\w+$/.test(made), `account keys create prints more than the key: exit ${created.exitCode}, ${created.stderr}`);
  const { stdout } = await cli.run(['account', 'keys', 'list', '--output', 'ndjson']);
  report.check(!stdout.includes(made), 'account keys list shows a key.');
  const listed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly key_id: string; readonly name: string });
  const id = listed.find(({ name }) => name === 'suite')?.key_id ?? '';
  const rotated = await cli.run(['account', 'keys', 'rotate', id]);
  report.check(/^msk_live_\w+$/.test(rotated.stdout.trim()), `account keys rotate exits with ${rotated.exitCode}: ${rotated.stderr}`);
  const revoked = await cli.run(['account', 'keys', 'revoke', id]);
  report.check(revoked.exitCode === 0, `account keys revoke exits with ${revoked.exitCode}: ${revoked.stderr}`);
}
