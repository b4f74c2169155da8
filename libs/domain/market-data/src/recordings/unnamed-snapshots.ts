import { readRecordingLine, recordedObject } from '../recording-line';
import type { WantedLines } from './line-format';
import type { UnreadFile } from './peeked-file';
import { isCount, isObject, type Json, parseObject } from '../json';
import { venueNumber } from '../decimal';

/** Within this, best prices can be of one instrument and moment. */
const NEAR_SHARE_MAX = 0.005;
/** Beyond this, best prices are of different instruments. */
const FAR_SHARE_MIN = 0.2;
/** Changed levels needed for a comparison, and the share that must match. */
const LEVELS_MIN = 3;
const EQUAL_SHARE_MIN = 0.9;

interface UnnamedSnapshot {
  readonly lastId: number;
  readonly bids: ReadonlyMap<number, number>;
  readonly asks: ReadonlyMap<number, number>;
  readonly bestBid: number;
  readonly bestAsk: number;
}

/**
 * `equal`: update ids bridge the snapshot and levels match; `near`: ids bridge it and best prices fit; `far`: prices
 * belong to another instrument; `silent`: inconclusive.
 */
type SnapshotVerdict = 'equal' | 'near' | 'far' | 'silent';

interface Top {
  readonly id: number;
  readonly bid: number;
  readonly ask: number;
}

function readUnnamedSnapshot(text: string): UnnamedSnapshot | undefined {
  const { lastUpdateId: lastId, bids, asks, symbol } = parseObject(text) ?? {};
  if (!isCount(lastId) || symbol !== undefined) return undefined;
  const [bidLevels, askLevels] = [levelsOf(bids), levelsOf(asks)];
  return {
    lastId,
    bids: new Map(bidLevels),
    asks: new Map(askLevels),
    bestBid: Math.max(...bidLevels.map(([price]) => price)),
    bestAsk: Math.min(...askLevels.map(([price]) => price)),
  };
}

/** Update ids alone are inconclusive: instruments of one matching engine share a counter. */
class SnapshotEvidence {
  private isBridged = false;
  private before: Top | undefined;
  private after: Top | undefined;
  private tradePrice: number | undefined;
  private readonly changed = { bids: new Map<number, LevelChange>(), asks: new Map<number, LevelChange>() };

  constructor(private readonly snapshot: UnnamedSnapshot) {}

  add(text: string): void {
    const data = parseObject(text)?.['data'];
    if (!isObject(data)) return;
    if (data['e'] === 'depthUpdate') this.addDiff(data);
    else if (data['e'] === 'bookTicker') this.addTop(data);
    else if (data['e'] === 'trade' || data['e'] === 'aggTrade') this.tradePrice ??= venueNumber(data['p']);
  }

  get verdict(): SnapshotVerdict {
    const { snapshot, before, after, tradePrice, isBridged } = this;
    const { bestBid, bestAsk } = snapshot;
    const distances = [before, after].flatMap((top) =>
      top === undefined ? [] : [share((top.bid + top.ask) / 2, (bestBid + bestAsk) / 2)],
    );
    if (distances.length === 0 && tradePrice !== undefined) distances.push(share(tradePrice, (bestBid + bestAsk) / 2));
    if (distances.some((distance) => !(distance < FAR_SHARE_MIN))) return 'far';
    if (!isBridged) return 'silent';
    if ((before?.bid === bestBid && before.ask === bestAsk) || this.showsChanges) return 'equal';
    return distances.some((distance) => distance <= NEAR_SHARE_MAX) ? 'near' : 'silent';
  }

  private addDiff({ U: firstId, u: lastId, b: bids, a: asks }: Json): void {
    if (!isCount(firstId) || !isCount(lastId)) return;
    const { lastId: snapshotId } = this.snapshot;
    if (firstId <= snapshotId + 1 && lastId >= snapshotId) this.isBridged = true;
    if (lastId > snapshotId) return;
    for (const [side, levels] of [
      [this.changed.bids, levelsOf(bids)],
      [this.changed.asks, levelsOf(asks)],
    ] as const) {
      for (const [price, quantity] of levels) if ((side.get(price)?.id ?? 0) <= lastId) side.set(price, { id: lastId, quantity });
    }
  }

  private addTop({ u: id, b, a }: Json): void {
    const [bid, ask] = [venueNumber(b), venueNumber(a)];
    if (!isCount(id) || !(bid > 0) || !(ask > 0)) return;
    if (id <= this.snapshot.lastId) {
      if (id >= (this.before?.id ?? 0)) this.before = { id, bid, ask };
    } else if (id < (this.after?.id ?? Infinity)) this.after = { id, bid, ask };
  }

  /** True if the snapshot's levels match the preceding changes. */
  private get showsChanges(): boolean {
    const { bids, asks } = this.snapshot;
    const lowestBid = Math.min(...bids.keys());
    const highestAsk = Math.max(...asks.keys());
    const compared = [
      ...[...this.changed.bids].filter(([price]) => price >= lowestBid).map(([price, { quantity }]) => (bids.get(price) ?? 0) === quantity),
      ...[...this.changed.asks]
        .filter(([price]) => price <= highestAsk)
        .map(([price, { quantity }]) => (asks.get(price) ?? 0) === quantity),
    ];
    return compared.length >= LEVELS_MIN && compared.filter(Boolean).length >= EQUAL_SHARE_MIN * compared.length;
  }
}

interface LevelChange {
  readonly id: number;
  readonly quantity: number;
}

function share(price: number, other: number): number {
  return Math.abs(price / other - 1);
}

function levelsOf(value: unknown): readonly (readonly [price: number, quantity: number])[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((level: unknown) => (Array.isArray(level) ? [[venueNumber(level[0]), venueNumber(level[1])] as const] : []));
}

const REACH_LINES = 2_048;

type Lines = readonly string[];

/**
 * USD-M depth snapshots name no instrument. A recording's only instrument gets them unless prices contradict; of
 * several, one must be proven. Inconclusive ones are dropped with a note.
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

/** Snapshots in an envelope contain this field too. */
function isBareSnapshot(line: string): boolean {
  return line.includes('"lastUpdateId"') && recordedObject(line)?.['lastUpdateId'] !== undefined;
}

function isWanted(around: Lines, at: number, { venueInstrument, instruments, notes }: WantedLines, place: string): boolean {
  const line = around[at] ?? '';
  const snapshot = readUnnamedSnapshot(line.slice(messageStartOf(line)));
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
    `${snapshots(total)} without a symbol could not be attributed to ${name} by update ids and prices around ${them(total)}, and ` +
    `${total === 1 ? 'was' : 'were'} not used (${total === 1 ? '' : 'first '}at ${first}): record snapshots as ` +
    `{"stream":"${name.toLowerCase()}@depthSnapshot","data":<the response>}`;
}

function snapshots(total: number): string {
  return total === 1 ? 'a depth snapshot' : `${total} depth snapshots`;
}

function them(total: number): string {
  return total === 1 ? 'it' : 'them';
}
