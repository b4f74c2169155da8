import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

/**
 * `node --import @oxc-node/core/register apps/cli/bench/label-command.ts [rounds]`: compares `market-state label` on
 * the BTCUSD_PERP recording with a process that only decompresses the files and parses their JSON. Measures CPU time
 * and memory of whole processes, alternating between the two.
 */
const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'libs/domain/market-data/recordings/binance-coinm');
const FILES = ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'].map((file) => join(FOLDER, file));

/** Name → command line. The first is the baseline. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'gunzip + JSON.parse': [join(import.meta.dirname, 'gunzip-parse.mjs')],
  label: [join(ROOT, 'dist/market-state.mjs'), 'label'],
  'label, workspace checked': [join(ROOT, 'apps/cli/bin/market-state.mjs'), 'label'],
};

interface Usage {
  readonly cpuMs: number;
  readonly peakMib: number;
}

async function run(program: readonly string[]): Promise<Usage> {
  const child = spawn(process.execPath, ['--require', join(import.meta.dirname, 'report-usage.cjs'), ...program, ...FILES], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [usage, [exitCode]] = await Promise.all([json(child.stdio[3] as NodeJS.ReadableStream) as Promise<Usage>, once(child, 'exit')]);
  if (exitCode !== 0) throw new Error(`${program.join(' ')} exited with ${String(exitCode)}`);
  return usage;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

async function main(rounds: number): Promise<void> {
  const usages: Record<string, Usage[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, program] of Object.entries(PROGRAMS)) (usages[name] ??= []).push(await run(program));
  }
  const medians = Object.entries(usages).map(
    ([name, each]) => [name, median(each.map(({ cpuMs }) => cpuMs)), Math.max(...each.map(({ peakMib }) => peakMib))] as const,
  );
  const [[, baseMs] = ['', NaN]] = medians;
  for (const [name, cpuMs, peakMib] of medians) {
    process.stdout.write(
      `${name.padEnd(26)} ${cpuMs.toFixed(0).padStart(5)} ms CPU, ${(cpuMs / baseMs).toFixed(2)} × baseline, peak ` +
        `${peakMib.toFixed(0)} MiB resident\n`,
    );
  }
}

void main(Number(process.argv[2] ?? 7));
