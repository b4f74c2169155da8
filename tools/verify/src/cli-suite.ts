import { delimiter, join } from 'node:path';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { workspaceRoot } from '@market-state/launcher';
import {
  keyOfNewTenant,
  openCommandLine,
  startSystem,
  openFolder,
  completionsIn,
  hasShell,
  SHELLS,
  comesTrue,
  compareTail,
  waitUntil,
} from '@market-state/testing';
import type { Suite, SuiteContext } from './harness';
import { verifyEveryCommand, type CliScene, verifyExitCodes } from './cli-commands';

const SYMBOL = 'SIMUSD-PERP';
const WAIT_MS = 90_000;
const ROWS_A_KILL = 60;

/** Kills the gateway with -9 during a tail and during downloads; the launcher restarts it. */
async function verifyKilledGateway(context: SuiteContext, scene: CliScene): Promise<void> {
  await killUnderTail(context, scene);
  await killUnderDownloads(context, scene);
}

async function killUnderTail({ report, budget, say }: SuiteContext, { system, key, cli }: CliScene): Promise<void> {
  const tail = cli.start(['tail', SYMBOL, '--channels', 'book,trades', '--output', 'ndjson', '--max-credits', '1000']);
  for (let kill = 1; kill <= budget; kill += 1) {
    await waitUntil('rows of the tail', () => tail.lines().length >= kill * ROWS_A_KILL, WAIT_MS);
    if (kill === 1) report.fail(...processesThatShow(key));
    system.processes.signal('gateway', 'SIGKILL');
    say(`gateway killed under the tail, ${kill} of ${budget}`);
  }
  await waitUntil('rows after the last kill', () => tail.lines().length >= (budget + 1) * ROWS_A_KILL, WAIT_MS);
  report.check((await tail.end()) === 130, 'Ctrl-C does not end a tail with 130.');
  report.check(/resume with --since \d+-\d+-\d+\n/.test(tail.stderr()), `The tail does not say where to go on: ${tail.stderr()}`);
  const { had, stored } = await compareTail(cli, SYMBOL, tail.lines());
  const lost = stored.filter((at) => !had.includes(at)).length;
  report.check(lost === 0, `The tail lost ${lost} of ${stored.length} rows.`);
  report.check(new Set(had).size === had.length, `The tail printed ${had.length - new Set(had).size} rows twice.`);
  report.figure('rows of the tail, rows stored', `${had.length}, ${stored.length}`);
}

/** Processes of this machine whose command line contains the key. */
function processesThatShow(key: string): string[] {
  const shown = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(key);
    } catch {
      return false;
    }
  });
  return shown.map((pid) => `The arguments of process ${pid} show the key.`);
}

async function killUnderDownloads({ report, budget, say }: SuiteContext, { system, cli, folder }: CliScene): Promise<void> {
  const to = Date.now() - 120_000;
  const span = ['--from', String(to - 1_500_000), '--to', String(to)];
  const order = ['--dataset', 'book', '--symbols', 'BTCUSD-PERP', '--format', 'csv', '--compression', 'none', '--max-credits', '1000'];
  const made = await cli.run(['export', 'create', ...order, ...span, '--yes', '--output', 'json']);
  report.check(made.exitCode === 0, `export create exits with ${made.exitCode}: ${made.stderr}`);
  if (made.exitCode !== 0) return;
  const { job_id: job } = JSON.parse(made.stdout) as { readonly job_id: string };
  await cli.run(['export', 'wait', job]);
  let cut = 0;
  for (let kill = 1; kill <= budget; kill += 1) {
    const out = `files-${kill}`;
    const download = cli.start(['export', 'download', job, '--out', out, '--output', 'ndjson']);
    let isOver = false;
    void download.exited.then(() => (isOver = true));
    await comesTrue(() => isOver || bytesIn(join(folder, out)) > 0, { limitMs: WAIT_MS, everyMs: 1 });
    const had = bytesIn(join(folder, out));
    system.processes.signal('gateway', 'SIGKILL');
    const exitCode = await download.exited;
    report.check(exitCode === 0, `A download during which the gateway was killed exits with ${exitCode}: ${download.stderr()}`);
    const files = download.lines().map((line) => JSON.parse(line) as { readonly path: string; readonly sha256: string });
    report.check(files.length > 0, 'A download named no file.');
    for (const { path, sha256 } of files)
      report.check(createHash('sha256').update(readFileSync(path)).digest('hex') === sha256, `${path} does not match its digest.`);
    const all = bytesIn(join(folder, out));
    if (had < all) cut += 1;
    say(`gateway killed under a download at ${had} of ${all} bytes, ${kill} of ${budget}`);
  }
  report.check(cut > 0, 'No kill of the gateway interrupted a download.');
  report.figure('downloads that were interrupted and completed', `${cut} of ${budget}`);
}

function bytesIn(path: string): number {
  if (!existsSync(path)) return 0;
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

async function verifyShells({ report }: SuiteContext, { system, key, folder }: CliScene): Promise<void> {
  const env = {
    ...process.env,
    PATH: [join(workspaceRoot(), 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter),
    XDG_CONFIG_HOME: join(folder, 'shells'),
    MARKET_STATE_URL: system.url,
    MARKET_STATE_API_KEY: key,
  };
  for (const shell of SHELLS) {
    if (!hasShell(shell)) {
      report.figure(`completion in ${shell}`, 'not installed here');
      continue;
    }
    const said = completionsIn(shell, env, folder);
    const wanted = shell === 'zsh' ? ['ETHUSD-PERP'] : ['book', 'BTCUSD-PERP'];
    report.check(
      wanted.every((word) => said.includes(word)),
      `Completion in ${shell} offers ${said || 'nothing'}.`,
    );
    report.figure(`completion in ${shell}`, 'commands and symbols of the service');
  }
}

const HISTORY_MINUTES = '30';

const PARTS: Readonly<Record<string, (context: SuiteContext, scene: CliScene) => Promise<void>>> = {
  formats: verifyEveryCommand,
  kills: verifyKilledGateway,
  shells: verifyShells,
  // Last, because it stops the feed.
  codes: verifyExitCodes,
};

export const cliSuite: Suite = {
  id: 'cli',
  claim:
    'every command that calls a service answers in every format, each exit code has its documented cause, a tail and a download have the ' +
    'same lines and bytes even if the gateway is killed during them, no process shows the key, and shells complete commands and symbols',
  budget: { default: 3, counts: 'kills of the gateway during a tail, and during a download' },
  short: { seed: 1, budget: 1 },
  async run(context) {
    const { closer, only, report } = context;
    const system = await startSystem({ settings: { FEED_HISTORY_MINUTES: HISTORY_MINUTES } });
    closer.add('system', () => system.stop());
    const key = await keyOfNewTenant(system);
    const folder = openFolder(closer);
    const cli = openCommandLine(folder, { MARKET_STATE_URL: system.url, MARKET_STATE_API_KEY: key });
    const requested = only?.split(',') ?? Object.keys(PARTS);
    for (const part of requested) {
      const verify = PARTS[part];
      if (verify === undefined) report.fail(`Unknown part ${part}. Choose one of: ${Object.keys(PARTS).join(', ')}.`);
      await verify?.(context, { system, key, cli, folder });
      context.say(`${part}: done`);
    }
  },
};
