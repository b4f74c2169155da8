import { watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { comesTrue, sumOf } from '@market-state/testing';
import { pauseUpTo, type Suite, type SuiteContext } from './harness';
import { type ArchiveRun, type Disturbed, runArchive } from './archive-run';

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'];
const BEFORE_MS = 2.2 * 3_600_000;
const AFTER_MS = 1.1 * 3_600_000;
const SHORT_BUDGET = 5;
const SHORT_BEFORE_MS = 900_000;
const SHORT_AFTER_MS = 120_000;
const MIDNIGHT_MS = Date.UTC(2026, 0, 6);
const PAUSE_MS_MAX = 2_500;
const FILE_MS_MAX = 400;

export const archiveSuite: Suite = {
  id: 'archive',
  claim: 'recorder and archiver killed at random moments neither lose nor duplicate a row, and leave the same files as an undisturbed run',
  budget: { default: 20, counts: 'kills' },
  short: { seed: 20_260_106, budget: 4 },
  async run(context) {
    const isShort = context.budget <= SHORT_BUDGET;
    const settings = {
      symbols: isShort ? SYMBOLS.slice(0, 1) : SYMBOLS,
      startMs: MIDNIGHT_MS - (isShort ? SHORT_BEFORE_MS : BEFORE_MS),
      endMs: MIDNIGHT_MS + (isShort ? SHORT_AFTER_MS : AFTER_MS),
    };
    const { report, say, budget } = context;
    const kills = { total: 0, duringFile: 0 };
    const killed = await runArchive(settings, (run) => killAll(run, context, kills));
    say('undisturbed run');
    const unkilled = await runArchive(settings, async () => undefined);
    const rows = sumOf(killed.kept.files.map((file) => file.rows));
    report.fail(...faultsOf('killed', killed), ...faultsOf('unkilled', unkilled), ...differences(killed, unkilled));
    report.check(kills.total >= budget, `Only ${kills.total} kills took place.`);
    report.check(rows > 0, 'Nothing was archived.');
    report.figure('kills', `${kills.total}, ${kills.duringFile} of them while a file was being written`);
    report.figure('entries played', sumOf(killed.played.map(({ entryTotal }) => entryTotal)));
    report.figure('archived', `${rows} rows in ${killed.kept.files.length} files; ${killed.kept.hotTotal} rows hot`);
    report.figure(
      'files identical to the undisturbed run',
      killed.kept.files.filter((file, index) => file.sha256 === unkilled.kept.files[index]?.sha256).length,
    );
  },
};

/** Every other kill waits until a file is being written. Continues after the last entry until the budget is spent. */
async function killAll(
  { recorder, archiveFolder, isDone }: Disturbed,
  { random, budget, say }: SuiteContext,
  kills: { total: number; duringFile: number },
): Promise<void> {
  const scratch = join(archiveFolder, '.scratch');
  await mkdir(scratch, { recursive: true });
  while (kills.total < budget) {
    await pauseUpTo(PAUSE_MS_MAX, random);
    const isFileStarted = kills.total % 2 === 1 && !isDone() && (await fileBegins(scratch, isDone));
    if (isFileStarted) await pauseUpTo(FILE_MS_MAX, random);
    await recorder.killAndRestart();
    kills.total += 1;
    if (isFileStarted) kills.duringFile += 1;
    say(`kill ${kills.total} of ${budget}${isFileStarted ? ', while a file was made' : ''}`);
  }
}

/** Resolves to true when a file appears in the folder, or to false when the run finishes first. */
async function fileBegins(folder: string, isDone: () => boolean): Promise<boolean> {
  let isStarted = false;
  const watcher = watch(folder, () => {
    isStarted = true;
  });
  try {
    await comesTrue(() => isStarted || isDone(), { limitMs: Infinity, everyMs: 5 });
    return isStarted;
  } finally {
    watcher.close();
  }
}

function faultsOf(name: string, { played, kept, served }: ArchiveRun): string[] {
  return [
    ...kept.faults.map((fault) => `${name}: ${fault}`),
    ...played.flatMap(({ symbol, entryTotal, digest }) => {
      const read = served.get(symbol);
      const found: string[] = [];
      if (read?.entryTotal !== entryTotal)
        found.push(`${name}: ${symbol}: ${read?.entryTotal} entries are served, ${entryTotal} were played.`);
      if (read?.digest !== digest) found.push(`${name}: ${symbol}: the served entries differ from those played.`);
      if (read?.outOfOrder !== undefined) found.push(`${name}: ${symbol}: entry ${read.outOfOrder} is out of order.`);
      if ((read?.contradictions ?? 0) > 0) found.push(`${name}: ${symbol}: ${read?.contradictions} rows contradict their entry.`);
      return found;
    }),
  ];
}

function differences(killed: ArchiveRun, unkilled: ArchiveRun): string[] {
  const describe = ({ kept }: ArchiveRun): string[] =>
    kept.files.map(({ object_key, rows, rows_sha256 }) => `${object_key}: ${rows} rows, chain ${rows_sha256}`);
  const [one, other] = [describe(killed), describe(unkilled)];
  return [
    ...one.filter((file) => !other.includes(file)).map((file) => `Differs from the undisturbed run: ${file}.`),
    ...other.filter((file) => !one.includes(file)).map((file) => `Only in the undisturbed run: ${file}.`),
  ];
}
