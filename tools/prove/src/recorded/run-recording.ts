import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSystem, type System } from '@market-state/launcher';
import { differences, type Extent, extentOf, type Retained, retainedOf } from './retained';

/** The symbols that are played and compared. */
export const recordedSymbols = ['BTCUSD-PERP', 'ETHUSD-PERP'];

const readyLimitMs = 120_000;
const catchUpLimitMs = 600_000;

/** How the bundled recording is played. */
export interface Recording {
  /** Re-timed receive time of its first message, milliseconds since the epoch, a multiple of 10,000. */
  readonly feedStartMs: number;
  /** Times real time. */
  readonly speed: number;
}

/** What two runs of one recording came to. */
export interface Comparison {
  /** Sentences on what differs. */
  readonly failures: readonly string[];
  readonly figures: readonly (readonly [name: string, figure: string])[];
}

/**
 * Plays the recording with `disturb` at work, then once more undisturbed and as fast as possible up to the same place, both
 * with one signing key, and compares rows, packets, chain, signatures and checkpoints.
 */
export async function compareWithUnbroken(
  recording: Recording,
  say: (line: string) => void,
  disturb: (system: System) => Promise<void>,
): Promise<Comparison> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-'));
  try {
    const settings = {
      FEED: 'recording',
      FEED_START: String(recording.feedStartMs),
      SYMBOLS: recordedSymbols.join(','),
      SIGNING_KEY_FILE: join(folder, 'signing-key.pem'),
    };
    const disturbed = await disturbedRun({ ...settings, FEED_SPEED: String(recording.speed) }, disturb);
    say('the undisturbed run, as fast as possible');
    const unbroken = await unbrokenRun({ ...settings, FEED_SPEED: 'max' }, disturbed.extents);
    return comparisonOf(disturbed.retained, unbroken);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function disturbedRun(settings: NodeJS.ProcessEnv, disturb: (system: System) => Promise<void>) {
  const system = await startSystem({ settings });
  try {
    await system.ready(AbortSignal.timeout(readyLimitMs));
    await disturb(system);
    const extents = new Map<string, Extent>();
    const retained = new Map<string, Retained>();
    for (const symbol of recordedSymbols) {
      const extent = await extentOf(system, symbol);
      extents.set(symbol, extent);
      retained.set(symbol, await retainedOf(system, symbol, extent));
    }
    return { extents, retained };
  } finally {
    await system.stop();
  }
}

async function unbrokenRun(settings: NodeJS.ProcessEnv, extents: ReadonlyMap<string, Extent>): Promise<Map<string, Retained>> {
  const system = await startSystem({ settings });
  try {
    const retained = new Map<string, Retained>();
    const deadline = performance.now() + catchUpLimitMs;
    for (const [symbol, wanted] of extents) {
      for (;;) {
        const extent = await extentOf(system, symbol);
        if (extent.lastOrdinal >= wanted.lastOrdinal && extent.lastWindowEndMs >= wanted.lastWindowEndMs) break;
        if (performance.now() > deadline)
          throw new Error(`The undisturbed run of ${symbol} stands at ordinal ${extent.lastOrdinal} of ${wanted.lastOrdinal}.`);
        await delay(500);
      }
      retained.set(symbol, await retainedOf(system, symbol, wanted));
    }
    return retained;
  } finally {
    await system.stop();
  }
}

function comparisonOf(disturbed: ReadonlyMap<string, Retained>, unbroken: ReadonlyMap<string, Retained>): Comparison {
  const failures: string[] = [];
  const figures: [string, string][] = [];
  for (const symbol of recordedSymbols) {
    const one = disturbed.get(symbol);
    const other = unbroken.get(symbol);
    if (one === undefined || other === undefined) throw new Error(`Nothing was retained of ${symbol}.`);
    failures.push(...differences(symbol, one, other));
    const signedTotal = one.packets.filter(({ signature }) => signature !== null).length;
    figures.push([
      `${symbol} compared`,
      `${one.rows.length} rows, ${one.packets.length} packets (${signedTotal} signed), ${one.checkpoints.length} checkpoints`,
    ]);
    if (one.packets.length === 0) failures.push(`${symbol}: no packet was made.`);
    if (signedTotal < one.packets.length) failures.push(`${symbol}: ${one.packets.length - signedTotal} packets are not signed.`);
  }
  return { failures, figures };
}
