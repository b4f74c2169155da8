import { join, relative } from 'node:path';
import { inSeconds, runSystem, type Running } from './run-system';
import { startHelp, readStartSettings, mailLine } from './start-settings';
import { type CallToTry, callsToTry, firstCalls } from './system/first-calls';
import { roundLines, exampleSymbols, feedLines, playsDemo } from './system/feeds';
import { hasDemoSettings } from './system/environment';
import { watchHistory } from './system/readiness';
import type { System } from './system/start-system';
import { workspaceRoot } from './workspace-root';

const LISTEN_PORT = '8443';
const EXPORT_JOBS = '/api/public/data/export/jobs';

runSystem(async (say) => {
  const help = startHelp(process.argv.slice(2));
  if (help === undefined) return readStartSettings(process.env, say, { checksFeeds: true });
  say(help);
  process.exit(0);
}, sayReady);

async function sayReady({ system, settings, say, signal, startedAt }: Running): Promise<void> {
  const key = await system.demoKey();
  const calls = callsToTry(settings);
  const { url } = system;
  const statuses = await firstCalls(
    calls.map(({ path }) => url + path),
    key,
  );
  const round = playsDemo(settings) ? await roundLines(`127.0.0.1:${system.processes.portsOf('simulated-venue').grpc}`) : [];
  if (signal.aborted) return;
  say(`Ready: ${inSeconds(performance.now() - startedAt)}`);
  say('');
  const tried = calls.map((call, index) => ({ ...call, status: statuses[index] ?? 0 }));
  for (const line of howToUse(system, key, settings, tried)) say(line);
  if (round.length > 0) for (const line of ['', ...round]) say(line);
  say('');
  if (await watchHistory(url, say, signal).catch(() => false)) say(`History filled: ${inSeconds(performance.now() - startedAt)}`);
}

function howToUse(
  { url, dataDir }: System,
  key: string,
  settings: NodeJS.ProcessEnv,
  tried: readonly (CallToTry & { readonly status: number })[],
): readonly string[] {
  const fromHere = relative(process.cwd(), dataDir) || '.';
  const data = fromHere.startsWith('..') ? dataDir : fromHere;
  const curl = (path: string): string => `  curl -s -H 'x-market-state-api-key: ${key}' '${url}${path}'`;
  const [first] = exampleSymbols(settings);
  const order = `-H 'content-type: application/json' -d '{"dataset":"trades","symbols":["${first}"],"format":"csv"}'`;
  return [
    ...feedLines(settings).map((line) => `Data:      ${line}`),
    `Portal:    ${url}/  (create an account at ${url}/claim with the demo key)`,
    `Address:   ${url}`,
    `Demo key:  ${key}  (also in ${data}/demo-key)`,
    `Logs:      ${data}/logs`,
    `Mail:      ${mailLine(settings, data)}`,
    'Try:',
    ...tried.map(({ path, status, says }) => {
      const remark = status === 200 ? says : `answered ${status === 0 ? 'nothing' : status} when tried just now`;
      return remark === undefined ? curl(path) : `${curl(path)}   # ${remark}`;
    }),
    `${curl(EXPORT_JOBS)} ${order}   # exports one day; routes.result lists its files seconds later`,
    ...(hasDemoSettings(settings)
      ? [`  ${listenCommand(dataDir, settings)}   # webhooks: starts a receiver and prints how to send alerts to it`]
      : []),
  ];
}

function listenCommand(dataDir: string, { WEBHOOK_TEST_TARGETS: targets = '' }: NodeJS.ProcessEnv): string {
  const port = /^localhost:(\d+)=/.exec(targets)?.[1] ?? LISTEN_PORT;
  const folder = dataDir === join(workspaceRoot(), '.data') ? '' : ` --data-dir ${dataDir}`;
  return `npx market-state listen --serve ${port}${folder}`;
}
