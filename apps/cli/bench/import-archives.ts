import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { asTardis } from '../tests/as-tardis';
import { BTC } from '../tests/run';

/**
 * `node --import @oxc-node/core/register apps/cli/bench/import-archives.ts [rounds]`: CPU of `market-state label` over
 * archives made of the bundled BTCUSD_PERP recording, 10.8 minutes of a busy market, against a process that only reads
 * and splits the same lines.
 */
const ROOT = join(import.meta.dirname, '../../..');
const GOAL = 20;

interface Usage {
  readonly cpuMs: number;
}

async function run(program: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ['--require', join(import.meta.dirname, 'report-usage.cjs'), ...program], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [usage, [exitCode]] = await Promise.all([json(child.stdio[3] as NodeJS.ReadableStream) as Promise<Usage>, once(child, 'exit')]);
  if (exitCode !== 0) throw new Error(`${program.join(' ')} exited with ${String(exitCode)}`);
  return usage.cpuMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

async function main(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-bench-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), gzipSync(text));
    return join(folder, name);
  };
  try {
    const { book, trades } = asTardis(BTC, 'BTCUSD_PERP');
    const tape = trades
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));
    const timeMs = (row: readonly string[] | undefined): number => Number(row?.[2]?.slice(0, 13));
    const spanMs = timeMs(tape.at(-1)) - timeMs(tape[0]);
    const aggTrades = tape.map((row, index) => {
      const [, , , , , side, price, amount] = row;
      return `${index},${price},${amount},${index},${index},${timeMs(row)},${side === 'sell'}`;
    });
    const archives = {
      'Tardis incremental_book_L2, trades': [write('BTC_incremental_book_L2.csv.gz', book), write('BTC_trades.csv.gz', trades)],
      'Binance Vision aggTrades': [write('BTCUSD_PERP-aggTrades-2024-08-08.csv.gz', aggTrades.join('\n'))],
    };
    for (const [name, files] of Object.entries(archives)) {
      const [plain, labelled]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        plain.push(await run([join(import.meta.dirname, 'gunzip-split.mjs'), ...files]));
        labelled.push(await run([join(ROOT, 'dist/market-state.mjs'), 'label', ...files]));
      }
      const [plainMs, labelMs] = [median(plain), median(labelled)];
      const speed = spanMs / labelMs;
      process.stdout.write(
        `${name.padEnd(36)} ${labelMs.toFixed(0).padStart(6)} ms CPU for ${(spanMs / 1_000).toFixed(0)} s: ${speed.toFixed(0)} × real time ` +
          `(goal ${GOAL}), ${(labelMs / plainMs).toFixed(2)} × a plain read (${plainMs.toFixed(0)} ms)\n`,
      );
      if (speed < GOAL) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void main(Number(process.argv[2] ?? 5));
