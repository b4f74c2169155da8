import { join, relative } from 'node:path';
import { startHelp } from './start-arguments';
import { readStartSettings } from './start-settings';
import { type CallToTry, callsToTry } from './system/calls-to-try';
import { roundLines } from './system/demo-round';
import { hasDemoSettings } from './system/environment';
import { exampleSymbols, feedLines, playsDemo } from './system/feeds';
import { firstCalls } from './system/first-calls';
import { startSystem } from './system/start-system';
import type { System } from './system/start-system';
import { watchReadiness } from './system/watch-readiness';
import { workspaceRoot } from './workspace-root';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const begunAt = performance.now() - process.uptime() * 1_000;
const stopAsked = new AbortController();
let stopAskedAt = 0;
let system: System | undefined;

const parentWatchMs = 500;
/** npm passes on the Ctrl-C that the terminal has given us too: within this time, two signals are one. */
const sameSignalMs = 1_000;

// Whoever read our lines may be gone before us; that is no reason to leave the rest undone.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, askToStop);

// npm passes signals on, but dies of some without a word; nobody could then stop us with Ctrl-C.
if (process.env['npm_lifecycle_event'] !== undefined) stopWithParent(process.ppid);

main().catch(fail);

async function main(): Promise<void> {
  const help = startHelp(process.argv.slice(2));
  if (help !== undefined) {
    say(help);
    process.exit(0);
  }
  const settings = await readStartSettings(process.env, say);
  system = await startSystem({ ...settings, say, onStep: (step, durationMs) => say(`${step}: ${inSeconds(durationMs)}`) });
  if (stopAsked.signal.aborted) return stop(system);
  const { refused } = system;
  refused.addEventListener('abort', () => void fail(refused.reason));
  refused.throwIfAborted();
  await Promise.all([
    watchReadiness(system.processes, system.rpc.identityOf('launcher'), say, stopAsked.signal),
    system.ready(stopAsked.signal),
  ]);
  const key = await system.demoKey();
  const calls = callsToTry(settings.settings);
  const { url } = system;
  const statuses = await firstCalls(
    calls.map(({ path }) => url + path),
    key,
  );
  const round = playsDemo(settings.settings) ? await roundLines(`127.0.0.1:${system.processes.portsOf('simulated-venue').grpc}`) : [];
  if (stopAsked.signal.aborted) return;
  sayHowToUse(
    system,
    key,
    settings.settings,
    calls.map((call, index) => ({ ...call, status: statuses[index] ?? 0 })),
  );
  if (round.length > 0) for (const line of ['', ...round]) say(line);
}

const LISTEN_PORT = 8443;
const EXPORT_JOBS = '/api/public/data/export/jobs';

/** Says what went wrong and ends everything, unless it is ending already. */
async function fail(error: unknown): Promise<void> {
  if (stopAsked.signal.aborted) return;
  stopAsked.abort(error);
  say(error instanceof Error ? error.message : String(error));
  await system?.stop();
  process.exit(1);
}

function askToStop(): void {
  if (stopAsked.signal.aborted) {
    if (performance.now() - stopAskedAt < sameSignalMs) return;
    say('Stopping at once.');
    void system?.kill().finally(() => process.exit(1));
    return;
  }
  stopAskedAt = performance.now();
  stopAsked.abort(new Error('A stop was asked for.'));
  say('Stopping.');
  if (system !== undefined) void stop(system);
}

function stopWithParent(parentPid: number): void {
  const watch = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(watch);
    if (!stopAsked.signal.aborted) askToStop();
  }, parentWatchMs);
  watch.unref();
}

async function stop(running: System): Promise<void> {
  const startedAt = performance.now();
  await running.stop();
  say(`Stopped: ${inSeconds(performance.now() - startedAt)}`);
  process.exit(0);
}

function sayHowToUse(
  { url, dataDir }: System,
  key: string,
  settings: NodeJS.ProcessEnv,
  tried: readonly (CallToTry & { readonly status: number })[],
): void {
  const fromHere = relative(process.cwd(), dataDir) || '.';
  const data = fromHere.startsWith('..') ? dataDir : fromHere;
  const curl = (path: string): string => `  curl -s -H 'x-market-state-api-key: ${key}' '${url}${path}'`;
  say(`Ready: ${inSeconds(performance.now() - begunAt)}`);
  say('');
  for (const line of feedLines(settings)) say(`Data:      ${line}`);
  say(`Portal:    ${url}/  (open an account at ${url}/claim with the demo key)`);
  say(`Address:   ${url}`);
  say(`Demo key:  ${key}  (also in ${data}/demo-key)`);
  say(`Logs:      ${data}/logs`);
  say('Try:');
  for (const { path, status, says } of tried) {
    const remark = status === 200 ? says : `answered ${status === 0 ? 'nothing' : status} when tried just now`;
    say(remark === undefined ? curl(path) : `${curl(path)}   # ${remark}`);
  }
  const [first] = exampleSymbols(settings);
  const order = `-H 'content-type: application/json' -d '{"dataset":"trades","symbols":["${first}"],"format":"csv"}'`;
  say(`${curl(EXPORT_JOBS)} ${order}   # an export of a day; routes.result has its files seconds later`);
  if (hasDemoSettings(settings)) say(`  ${listenCommand(dataDir)}   # webhooks: a receiver that prints how to make an alert reach it`);
}

function listenCommand(dataDir: string): string {
  const folder = dataDir === join(workspaceRoot(), '.data') ? '' : ` --data-dir ${dataDir}`;
  return `npx market-state listen --serve ${LISTEN_PORT}${folder}`;
}

function inSeconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
