import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, userProgramFile } from '@market-state/launcher';
import { type Closer, runUntilClosed, timeLimit } from '@market-state/lifecycle';
import {
  monitoringFiles,
  monitoringFolder,
  readAlerts,
  isDeclaredAbsent,
  readDashboardQueries,
  readQuery,
  readRunbooks,
  variableOf,
  withoutVariables,
} from '@market-state/monitoring';
import { startSystem, findProgram, endProcess, spawnOwned, type System, waitUntil, comesTrue } from '@market-state/testing';
import { needsProgram, type Suite, type SuiteContext } from '../harness';
import { makeCertificateFolder } from '../certificate-folder';
import { startPrometheus, type Prometheus } from './prometheus';
import { rehearse } from './rehearse';
import { startStandby } from './standby';

/** Series for recently archived hours, exports and messages appear within this time. */
const THERE_MS_MAX = 300_000;
const LOOKS_EVERY_MS = 2_000;
const COMMAND_MS_MAX = 60_000;
const SHOWN_MAX = 300;

interface Requested {
  readonly of: string;
  readonly expr: string;
}

function everyQuery(): Requested[] {
  return [
    ...readDashboardQueries().map(({ panel, expr }) => ({ of: panel, expr: withoutVariables(expr) })),
    ...readAlerts().map(({ alert, expr }) => ({ of: alert, expr: readQuery(expr).measured })),
  ];
}

/** Returns `series`, or `declared` if only series declared as appearing with their first occurrence are missing. */
async function answerOf({ query }: Prometheus, expr: string): Promise<'series' | 'declared' | readonly string[]> {
  if ((await query(expr)).length > 0) return 'series';
  const absent: string[] = [];
  for (const { metric, text } of readQuery(expr).selectors) {
    if ((await query(text)).length > 0) continue;
    if (isDeclaredAbsent(metric, text)) return 'declared';
    absent.push(text);
  }
  return absent;
}

async function checkQueries(prometheus: Prometheus, { report, say }: SuiteContext): Promise<void> {
  const requested = everyQuery();
  let waiting = requested;
  const declared: string[] = [];
  let lacking = new Map<string, readonly string[]>();
  const isAnswered = async (): Promise<boolean> => {
    const still: Requested[] = [];
    lacking = new Map();
    declared.length = 0;
    for (const each of waiting) {
      const answer = await answerOf(prometheus, each.expr);
      if (answer === 'series') continue;
      still.push(each);
      if (answer === 'declared') declared.push(`${each.of}: ${each.expr}`);
      else lacking.set(each.expr, answer);
    }
    waiting = still;
    return lacking.size === 0;
  };
  await comesTrue(isAnswered, { limitMs: THERE_MS_MAX, everyMs: LOOKS_EVERY_MS });
  for (const { of, expr } of waiting) {
    const absent = lacking.get(expr);
    if (absent !== undefined)
      report.fail(`"${expr}" (${of}) returns nothing; without series: ${absent.join(', ') || 'none of its metrics'}.`);
  }
  for (const line of declared) say(`no data yet, as declared: ${line}`);
  report.figure('dashboard and alert queries that return series', `${requested.length - waiting.length} of ${requested.length}`);
  report.figure('others, declared to appear with their first occurrence', declared.length);
}

/**
 * Runs every runbook command as an operator would, with this system's addresses.
 * @param operator variables that authorize the operator
 */
async function runCommands(
  prometheus: Prometheus,
  { url, dataDir, processes }: System,
  operator: NodeJS.ProcessEnv,
  { report }: SuiteContext,
): Promise<void> {
  const addresses = processes.names.map((name) => [variableOf(name), `http://127.0.0.1:${processes.portsOf(name).ops}`]);
  const env = { ...process.env, PROMETHEUS: prometheus.url, API: url, DATA_DIR: dataDir, ...operator, ...Object.fromEntries(addresses) };
  let answered = 0;
  for (const { name, commands } of readRunbooks())
    for (const command of commands) {
      const startedMs = performance.now();
      const { printed, fault } = await promisify(execFile)('/bin/sh', ['-c', command], { env, timeout: COMMAND_MS_MAX }).then(
        ({ stdout }) => ({ printed: stdout.trim(), fault: undefined }),
        (error: Error & { stdout?: string }) => ({ printed: error.stdout?.trim() ?? '', fault: error.message }),
      );
      const isAnswer = fault === undefined && printed !== '' && !/"status":"error"/.test(printed);
      if (isAnswer) answered += 1;
      const ms = Math.round(performance.now() - startedMs);
      report.check(
        isAnswer,
        `A command of ${name} did not answer within ${ms} ms: ${command} ${fault ?? ''} ${printed.slice(0, SHOWN_MAX)}`,
      );
    }
  report.figure('runbook commands answered', answered);
}

const LATEST = '/api/public/market-state/latest';
const STREAM = '/api/public/market-state/stream?symbol=BTCUSD-PERP';
const JOBS = '/api/public/data/export/jobs';
const ANSWER_MS_MAX = 20_000;
const ENDED_MS_MAX = 120_000;
const CALLS_EVERY_MS = 50;
const MINUTE_MS = 60_000;

function keepReading(closer: Closer, { url }: System, key: string): void {
  const reading = runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      // Alerts judge the answers, not this loop.
      await fetch(`${url}${LATEST}`, { headers: { 'x-market-state-api-key': key }, signal: timeLimit(ANSWER_MS_MAX) })
        .then((answer) => answer.arrayBuffer())
        .catch(() => undefined);
      await delay(CALLS_EVERY_MS);
    }
  });
  closer.add('reader', () => reading.close());
}

function keepStreaming(closer: Closer, { url }: System, key: string): void {
  const streaming = runUntilClosed(async (signal) => {
    try {
      const { body } = await fetch(`${url}${STREAM}`, { headers: { 'x-market-state-api-key': key }, signal });
      await body?.pipeTo(new WritableStream());
    } catch {
      // Ends with the suite; metrics show that it was open.
    }
  });
  closer.add('stream', () => streaming.close());
}

async function exportRows({ url }: System, key: string): Promise<void> {
  const ask = async (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      ...options,
      headers: { 'x-market-state-api-key': key, 'content-type': 'application/json' },
      signal: timeLimit(ANSWER_MS_MAX),
    });
  const nowMs = Date.now();
  const [from, to] = [nowMs - 5 * MINUTE_MS, nowMs - MINUTE_MS].map((ms) => new Date(ms).toISOString());
  const body = JSON.stringify({ dataset: 'trades', symbols: ['BTCUSD-PERP'], format: 'csv', from, to });
  const answer = await ask(JOBS, { method: 'POST', body });
  const { job_id: jobId } = (await answer.json()) as { job_id?: string };
  if (jobId === undefined) throw new Error(`An export answered ${answer.status}.`);
  const isReady = async () => ((await (await ask(`${JOBS}/${jobId}`)).json()) as { status: string }).status === 'ready';
  await waitUntil('the files of an export', isReady, ENDED_MS_MAX);
  const { files } = (await (await ask(`${JOBS}/${jobId}/result`)).json()) as { files: readonly { download_route: string }[] };
  await (await ask(files[0]?.download_route ?? '')).arrayBuffer();
}

/** Starts a webhook receiver and runs the commands it prints: an endpoint, its test, an alert. */
async function receiveWebhooks(closer: Closer, { dataDir }: System): Promise<void> {
  const program = userProgramFile();
  const args = [program, 'listen', '--serve', String(await freePort()), '--data-dir', dataDir];
  const receiver = spawnOwned(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  receiver.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  closer.add('receiver', () => endProcess(receiver, 'SIGINT'));
  const commands = await waitUntil('the commands of the receiver', () => {
    const found = printed.split('\n').filter((line) => line.startsWith('  curl '));
    return found.length === 3 && found;
  });
  for (const command of commands) await promisify(execFile)('/bin/sh', ['-c', command], { timeout: ENDED_MS_MAX });
}

interface Programs {
  readonly prometheus: string;
  readonly promtool: string;
  readonly postgresExporter: string;
}

/** Finds the programs, installing Debian's packages where possible. @throws Error with the command to run */
async function findPrograms(say: (line: string) => void): Promise<Programs> {
  return {
    prometheus: await findProgram('prometheus', 'prometheus', say),
    promtool: await findProgram('promtool', 'prometheus', say),
    postgresExporter: await findProgram('prometheus-postgres-exporter', 'prometheus-postgres-exporter', say),
  };
}

const run = promisify(execFile);

export const monitoringSuite: Suite = {
  id: 'monitoring',
  claim:
    'a Prometheus that scrapes a running system gets series for every dashboard and alert query; alerts fire when processes are ' +
    'frozen, and resolve; the runbook commands answer',
  budget: { default: 1, counts: 'rounds of frozen processes' },
  short: { seed: 1, budget: 1 },
  needs: [needsProgram('prometheus', 'prometheus'), needsProgram('prometheus-postgres-exporter', 'prometheus-postgres-exporter')],
  async run(context) {
    const { closer, report, budget, say } = context;
    const programs = await findPrograms(say);
    const promtool = (...args: readonly string[]) => run(programs.promtool, args, { cwd: monitoringFolder() });
    await promtool('check', 'rules', ...monitoringFiles('rules', '.yaml'));
    await promtool('test', 'rules', ...monitoringFiles('rules/tests', '.yaml'));
    await promtool('check', 'config', 'prometheus-one-machine.yaml');

    const certificates = await makeCertificateFolder(closer);
    const system = await startSystem({ settings: { TLS_DIR: certificates.folder, FEED_HISTORY_MINUTES: '65' } });
    closer.add('system', () => system.stop());
    const standby = await startStandby(closer, system, programs.postgresExporter);
    const targets = join(system.dataDir, 'metrics-targets.json');
    const prometheus = await startPrometheus(closer, programs.prometheus, targets, standby.exporter);
    const key = await system.demoKey();
    keepReading(closer, system, key);
    keepStreaming(closer, system, key);
    await receiveWebhooks(closer, system);
    await exportRows(system, key);
    say('generating load');

    await checkQueries(prometheus, context);
    const { total, faults } = await prometheus.rules();
    report.check(total === readAlerts().length, `Prometheus loaded ${total} of ${readAlerts().length} rules.`);
    report.fail(...faults);
    const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname'] ?? '');
    report.figure('alerts firing before anything is frozen', [...new Set(firing)].join(', ') || 'none');
    await runCommands(prometheus, system, certificates.variablesOf('operator'), context);
    for (let round = 1; round <= budget; round += 1) await rehearse(prometheus, system, standby, context);
  },
};
