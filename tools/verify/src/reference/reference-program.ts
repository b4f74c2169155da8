import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { eventOfRow, type MarketEvent } from '@market-state/market-data';
import type { LabelledFiles } from './labelled-files';

const REFERENCE = join('tools', 'reference');

/** What the second implementation says of the packets. */
export interface Agreement {
  readonly equal: boolean;
  /** Its last line. */
  readonly summary: string;
}

/** Recomputes the packets from the rows and compares them. */
export async function agreement({ rows, packets }: LabelledFiles): Promise<Agreement> {
  const { code, output } = await python([join(REFERENCE, 'label.py'), rows, '--compare', packets]);
  return { equal: code === 0, summary: output.trimEnd().split('\n').at(-1) ?? '' };
}

/** A synthetic log of everything that is rare: late, repeated and early events, gaps told twice, clocks that jump. */
export async function awkwardLog(seed: number): Promise<readonly (readonly MarketEvent[])[]> {
  const { output } = await python([join(REFERENCE, 'tests', 'awkward_rows.py'), String(seed), '400']);
  return [
    output
      .trimEnd()
      .split('\n')
      .map((line) => eventOfRow(JSON.parse(line))),
  ];
}

/** @throws Error when there is no Python 3. */
function python(args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    execFile('python3', [...args], { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}
