import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { findPython, runPython, startSystem, openFolder } from '@market-state/testing';
import { needsPython, type Suite, type SuiteContext } from './harness';

const MODULES = ['httpx', 'pandas', 'pytest', 'cryptography', 'matplotlib', 'nbconvert', 'ipykernel'];
const DEBIAN = 'python3-httpx, -pandas, -pytest, -cryptography, -matplotlib, -nbconvert, -ipykernel';
const CLIENT = join(workspaceRoot(), 'libs', 'client-python');
/** Has an hour of history, including `fragile_depth_watch`. */
const SYMBOL = 'BTCUSD-PERP';

export const pythonSuite: Suite = {
  id: 'python',
  claim:
    "the Python client passes its tests on a running system and computes every packet's digest as the service does; its examples run, " +
    'and its notebook runs completely',
  budget: { default: 1_000, counts: 'minimum packets' },
  short: { seed: 1, budget: 300 },
  needs: [needsPython(...MODULES)],
  async run(context) {
    const { closer, report, budget, say } = context;
    const python = findPython(MODULES);
    if (python === null) throw new Error(`No Python with the required libraries was found. On Debian install: ${DEBIAN}.`);
    const history = { FEED_HISTORY_MINUTES: String(Math.max(65, Math.ceil(budget / 2 / 6) + 10)) };
    const system = await startSystem({ settings: history });
    closer.add('system', () => system.stop());
    const access = { MARKET_STATE_URL: system.url, MARKET_STATE_API_KEY: await system.demoKey() };

    const tests = await runPython(python, ['-m', 'pytest', 'tests'], { ...access, PACKETS_MIN: String(budget) });
    report.check(tests.code === 0, `The tests failed:\n${tests.output}`);
    report.figure('tests', lastLine(tests.output));
    for (const example of readdirSync(join(CLIENT, 'examples')).sort()) {
      const { code, output } = await runPython(python, [join('examples', example)], { ...access, PYTHONPATH: 'src' });
      report.check(code === 0, `The example ${example} failed:\n${output}`);
      say(`${example}: ${lastLine(output)}`);
    }
    await runNotebook(python, access, context);
  },
};

interface Access {
  readonly MARKET_STATE_URL: string;
  readonly MARKET_STATE_API_KEY: string;
}

async function runNotebook(python: string, access: Access, { closer, report }: SuiteContext): Promise<void> {
  const folder = openFolder(closer);
  const args = ['--to', 'notebook', '--execute', '--output-dir', folder, join('notebooks', 'one-hour.ipynb')];
  const env = { ...access, MARKET_STATE_SYMBOL: SYMBOL, PYTHONPATH: join(CLIENT, 'src') };
  const { code, output } = await runPython(python, ['-m', 'nbconvert', ...args], env);
  report.check(code === 0, `The notebook failed:\n${output}`);
  if (code !== 0) return;
  const said = saidIn(readFileSync(join(folder, 'one-hour.ipynb'), 'utf8'));
  for (const [what, form] of FINDINGS) {
    const found = form.exec(said)?.[0];
    report.check(found !== undefined, `The notebook does not report ${what}.`);
    report.figure(what, found ?? 'not reported');
  }
  const [, total, from = '', to = ''] = HOUR.exec(said) ?? [];
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const listed = await packetsBetween(access, fromMs, toMs);
  report.check(Number(total) === listed, `The notebook reports ${total} packets from ${from} to ${to}; the service lists ${listed}.`);
  report.check(toMs - fromMs >= SPAN_MIN_MS, `The notebook's packets span only ${(toMs - fromMs) / 1_000} s.`);
}

/** Packets whose windows end from one instant to another, both included. */
async function packetsBetween(access: Access, fromMs: number, toMs: number): Promise<number> {
  const query = `symbol=${SYMBOL}&from=${fromMs}&to=${toMs + WINDOW_MS}&limit=1000&view=compact`;
  const answer = await fetch(`${access.MARKET_STATE_URL}/api/public/market-state/history?${query}`, {
    headers: { 'x-market-state-api-key': access.MARKET_STATE_API_KEY },
  });
  if (!answer.ok) throw new Error(`The history was refused: ${answer.status} ${await answer.text()}`);
  const { rows } = (await answer.json()) as { readonly rows: readonly { readonly window_end_utc: string }[] };
  const endsMs = rows.map((row) => Date.parse(row.window_end_utc));
  return endsMs.filter((endMs) => endMs >= fromMs && endMs <= toMs).length;
}

const WINDOW_MS = 10_000;
/** Windows at either end of the hour may lack a packet where the history of a young system meets its live feed. */
const SPAN_MIN_MS = 3_000_000;
const HOUR = /^(\d+) packets from (.+) to (.+), \d+ gaps and seams$/m;

const FINDINGS: readonly (readonly [string, RegExp])[] = [
  ['packets of the hour', HOUR],
  ['what came before', /^fragile_depth_watch began [1-9]\d* times; before [1-9]\d* of them the minute is whole$/m],
  ['chain', /^[1-9]\d* packets follow on one another: True.*$/m],
  ['newest packet', /^the newest: body True, signature True, key in use True$/m],
  ['receipt', /^[1-9]\d* credits$/m],
];

interface Notebook {
  readonly cells: readonly { readonly outputs?: readonly { readonly text?: readonly string[] }[] }[];
}

function saidIn(notebook: string): string {
  const { cells } = JSON.parse(notebook) as Notebook;
  return cells.flatMap(({ outputs = [] }) => outputs.flatMap(({ text = [] }) => text)).join('');
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) ?? '';
}
