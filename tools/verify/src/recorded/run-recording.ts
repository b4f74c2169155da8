import { join } from 'node:path';
import { startSystem as launchSystem, type System, type SystemOptions } from '@market-state/launcher';
import { comesTrue, startSystem, openFolder, sumOf, withCloser } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import { differences, type Extent, extentOf, type Retained, retainedOf } from './retained';

/** The symbols that are played and compared. */
export const recordedSymbols = ['BTCUSD-PERP', 'ETHUSD-PERP'];

/** The processes that make rows and packets of a recording. */
export const makers: readonly string[] = ['data-plane-feed', 'data-plane-recorder', 'labeling'];

const catchUpLimitMs = 600_000;

/** How the bundled recording is played. */
export interface Recording {
  /** Re-timed receive time of its first message, milliseconds since the epoch, a multiple of 10,000. */
  readonly feedStartMs: number;
  /** Times real time. */
  readonly speed: number;
  /** The processes of the disturbed run; those of the other are `makers`. */
  readonly runs: readonly string[];
}

/**
 * Plays the recording with `disturb` at work, then once more undisturbed and as fast as possible up to the same place, both
 * with one signing key, and compares rows, packets, chain, signatures and checkpoints.
 * @returns how many checkpoints there were to compare
 */
export async function compareWithUnbroken(
  { closer, report, say }: SuiteContext,
  { feedStartMs, speed, runs }: Recording,
  disturb: (system: System) => Promise<void>,
): Promise<number> {
  const settings = {
    FEED: 'recording',
    FEED_START: String(feedStartMs),
    SYMBOLS: recordedSymbols.join(','),
    SIGNING_KEY_FILE: join(openFolder(closer), 'signing-key.pem'),
  };
  const disturbed = await disturbedRun({ runs, settings: { ...settings, FEED_SPEED: String(speed) } }, disturb);
  say('the undisturbed run, as fast as possible');
  const unbroken = await unbrokenRun({ ...settings, FEED_SPEED: 'max' }, disturbed);
  for (const [symbol, { retained: one }] of disturbed) {
    const other = unbroken.get(symbol);
    if (other === undefined) throw new Error(`Nothing was retained of ${symbol}.`);
    const unsignedTotal = one.packets.filter(({ signature }) => signature === null).length;
    report.fail(...differences(symbol, one, other));
    report.check(one.packets.length > 0, `${symbol}: no packet was made.`);
    report.check(unsignedTotal === 0, `${symbol}: ${unsignedTotal} packets are not signed.`);
    report.figure(
      `${symbol} compared`,
      `${one.rows.length} rows, ${one.packets.length} packets (${one.packets.length - unsignedTotal} signed), ` +
        `${one.checkpoints.length} checkpoints`,
    );
  }
  return sumOf([...disturbed.values()].map(({ retained }) => retained.checkpoints.length));
}

interface Left {
  readonly extent: Extent;
  readonly retained: Retained;
}

function disturbedRun(options: SystemOptions, disturb: (system: System) => Promise<void>): Promise<Map<string, Left>> {
  return withCloser(async (closer) => {
    const system = await startSystem(options);
    closer.add('system', () => system.stop());
    await disturb(system);
    const left = new Map<string, Left>();
    for (const symbol of recordedSymbols) {
      const extent = await extentOf(system, symbol);
      left.set(symbol, { extent, retained: await retainedOf(system, symbol, extent) });
    }
    return left;
  });
}

/** Goes as far as the disturbed run went; whether it is ready meanwhile does not matter. */
function unbrokenRun(settings: NodeJS.ProcessEnv, disturbed: ReadonlyMap<string, Left>): Promise<Map<string, Retained>> {
  return withCloser(async (closer) => {
    const system = await launchSystem({ runs: makers, settings });
    closer.add('system', () => system.stop());
    const retained = new Map<string, Retained>();
    for (const [symbol, { extent: wanted }] of disturbed) {
      let extent: Extent | undefined;
      async function isThere(): Promise<boolean> {
        extent = await extentOf(system, symbol);
        return extent.lastOrdinal >= wanted.lastOrdinal && extent.lastWindowEndMs >= wanted.lastWindowEndMs;
      }
      if (!(await comesTrue(isThere, { limitMs: catchUpLimitMs, everyMs: 500 })))
        throw new Error(`The undisturbed run of ${symbol} stands at ordinal ${extent?.lastOrdinal} of ${wanted.lastOrdinal}.`);
      retained.set(symbol, await retainedOf(system, symbol, wanted));
    }
    return retained;
  });
}
