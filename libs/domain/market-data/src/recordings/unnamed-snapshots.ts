import { readUnnamedSnapshot, SnapshotEvidence, type SnapshotVerdict, type UnnamedSnapshot } from '../binance/snapshot-evidence';
import { readRecordingLine, recordedObject } from '../recording-line';
import type { WantedLines } from './line-format';
import type { UnreadFile } from './peeked-file';

/** How many lines around a snapshot are asked whose it is, in either direction. */
const REACH_LINES = 2_048;

type Lines = readonly string[];

/**
 * The lines of a file of Binance USD-M without the depth snapshots that are not the instrument's. Such an answer names no instrument. Where
 * the recording has only one, a snapshot is its own unless the prices around it say otherwise; where it has several, it must be shown to be
 * its own, and no other's. One that nothing shows to be anybody's is left out with a note.
 */
export async function* withoutForeignSnapshots(file: UnreadFile, wanted: WantedLines): AsyncGenerator<Lines> {
  const source = file.batches();
  const ahead: Lines[] = [];
  let behind: Lines = [];
  let linesBefore = 0;
  try {
    for (;;) {
      const lines = ahead.shift() ?? (await nextOf(source));
      if (lines === undefined) return;
      const places = lines.flatMap((line, index) => (isBareSnapshot(line) ? [index] : []));
      if (places.length === 0) yield lines;
      else {
        await fill(ahead, source);
        const around = [...behind, ...lines, ...ahead.flat()];
        const kept = [...lines];
        for (const index of places) {
          if (!isWanted(around, behind.length + index, wanted, `${file.name}:${linesBefore + index + 1}`)) kept[index] = '';
        }
        yield kept;
      }
      linesBefore += lines.length;
      behind = lines.length >= REACH_LINES ? lines.slice(-REACH_LINES) : [...behind, ...lines].slice(-REACH_LINES);
    }
  } finally {
    await source.return(undefined);
  }
}

async function nextOf(source: AsyncGenerator<Lines>): Promise<Lines | undefined> {
  const next = await source.next();
  return next.done === true ? undefined : next.value;
}

/** Reads on until as many lines are at hand as may be asked. */
async function fill(ahead: Lines[], source: AsyncGenerator<Lines>): Promise<void> {
  let total = ahead.reduce((sum, lines) => sum + lines.length, 0);
  while (total < REACH_LINES) {
    const next = await nextOf(source);
    if (next === undefined) return;
    ahead.push(next);
    total += next.length;
  }
}

function messageStartOf(line: string): number {
  return readRecordingLine(line)?.messageStart ?? 0;
}

/** A field of this name also stands in snapshots that an envelope names the instrument of. */
function isBareSnapshot(line: string): boolean {
  return line.includes('"lastUpdateId"') && recordedObject(line)?.['lastUpdateId'] !== undefined;
}

function isWanted(around: Lines, at: number, { venueInstrument, instruments, notes }: WantedLines, place: string): boolean {
  const line = around[at] ?? '';
  const snapshot = readUnnamedSnapshot(line.slice(messageStartOf(line)));
  // One that names its instrument, or is broken, is the reader's to judge.
  if (snapshot === undefined) return true;
  const near = around.slice(Math.max(0, at - REACH_LINES), at + 1 + REACH_LINES);
  const verdict = verdictOf(near, venueInstrument, snapshot);
  const others = instruments.filter((name) => name !== venueInstrument);
  if (others.length === 0) {
    if (verdict !== 'far') return true;
    notes.add('foreign snapshot', place, foreignSnapshot(venueInstrument));
    return false;
  }
  if (verdict === 'far') return false;
  const verdicts = others.map((name) => verdictOf(near, name, snapshot));
  if (verdict === 'equal' && !verdicts.includes('equal')) return true;
  if (verdict === 'near' && verdicts.every((other) => other === 'far')) return true;
  if (verdicts.includes('equal')) return false;
  notes.add('unnamed snapshot', place, unnamedSnapshot(venueInstrument));
  return false;
}

function verdictOf(lines: Lines, name: string, snapshot: UnnamedSnapshot): SnapshotVerdict {
  const evidence = new SnapshotEvidence(snapshot);
  const stream = `"${name.toLowerCase()}@`;
  for (const line of lines) if (line.includes(stream)) evidence.add(line.slice(messageStartOf(line)));
  return evidence.verdict;
}

function foreignSnapshot(name: string) {
  return (total: number, first: string): string =>
    `${snapshots(total)} without a symbol ${total === 1 ? 'has' : 'have'} prices far from those of ${name} around ${them(total)} and ` +
    `${total === 1 ? 'was' : 'were'} not used (${total === 1 ? '' : 'first '}at ${first})`;
}

function unnamedSnapshot(name: string) {
  return (total: number, first: string): string =>
    `${snapshots(total)} without a symbol could not be shown to be of ${name}, by update ids and prices around ${them(total)}, and ` +
    `${total === 1 ? 'was' : 'were'} not used (${total === 1 ? '' : 'first '}at ${first}): record snapshots as ` +
    `{"stream":"${name.toLowerCase()}@depthSnapshot","data":<the answer>}`;
}

function snapshots(total: number): string {
  return total === 1 ? 'a depth snapshot' : `${total} depth snapshots`;
}

function them(total: number): string {
  return total === 1 ? 'it' : 'them';
}
