import { compareEntryIds, type EntryId } from '@market-state/event-log';
import { TradeCandles } from '@market-state/live-market';
import {
  type Channel,
  channelOf,
  type FeedStatusEvent,
  type EventHead,
  WINDOW_MS,
  ROW_FLAG,
  HOUR_MS,
  MINUTE_MS,
} from '@market-state/market-data';
import { copyBinary, inTransaction, isUniqueViolation } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { type Batch, encodeRows, writeFlags, findRepeats } from '../store/copy-log-entries';
import { writeConnection, type RowState } from '../store/row-state';
import { writeLedger } from '../store/gaps';
import { LOG_ENTRY, type RecordedEntry } from '../store/log-entries';
import { dayOf, type Partition, type Partitions } from '../store/partitions';
import { lastExchangeTsMs, writeTotals, type HourChange, type Totals } from '../store/totals';
import { type GapRow, type LedgerChange, ledgerChanges, findJumps, gapOfJump } from './gap-ledger';

export interface CommitDeps {
  readonly pool: Pool;
  readonly partitions: Partitions;
}

export interface LogPosition {
  readonly position: EntryId;
  readonly state: RowState;
}

export interface Committed extends LogPosition {
  /** Excludes entries already committed before. */
  readonly rows: number;
}

export interface Writing {
  /** Resolves once its rows are in the database; the next batch may start from this place. */
  readonly copied: Promise<LogPosition>;
  readonly committed: Promise<Committed>;
}

/** Another writer moved the position, or our own commit succeeded without a response. */
class PositionMovedError extends Error {
  override readonly name = 'PositionMovedError';
}

const NO_REPEATS: ReadonlySet<number> = new Set();

/**
 * Writes rows, totals, gap ledger and position in one transaction. Commits only after the previous batch and only if
 * the stored position is unchanged, so nothing is written twice; otherwise rejects with PositionMovedError.
 * @param at place after the previous batch
 * @param before resolves once the previous batch is committed
 */
export function writeBatch(deps: CommitDeps, symbol: string, batch: Batch, at: Promise<LogPosition>, before: Promise<unknown>): Writing {
  let onCopied: (after: LogPosition) => void = () => undefined;
  const whenCopied = new Promise<LogPosition>((resolve) => (onCopied = resolve));
  const committed = write({ deps, symbol, batch, at, before, onCopied });
  const copied = Promise.race([whenCopied, committed]);
  for (const promise of [at, before, copied, committed]) promise.catch(() => undefined);
  return { copied, committed };
}

interface Work {
  readonly deps: CommitDeps;
  readonly symbol: string;
  readonly batch: Batch;
  readonly at: Promise<LogPosition>;
  readonly before: Promise<unknown>;
  readonly onCopied: (after: LogPosition) => void;
}

async function write(work: Work): Promise<Committed> {
  const { partitions } = work.deps;
  try {
    await partitions.ensure(daysOf(work.batch.entries));
    return await writeOnce(work, async () => NO_REPEATS).catch(async (error: unknown) => {
      // Rare: the venue sent something twice. The previous batch may contain the originals.
      if (!isUniqueViolation(error)) throw error;
      await work.before;
      return writeOnce(work, (client, fresh) => findRepeats(client, work.symbol, fresh));
    });
  } catch (error) {
    partitions.forget();
    throw error;
  }
}

type Repeats = (client: PoolClient, fresh: readonly RecordedEntry[]) => Promise<ReadonlySet<number>>;

const CLOCK_SKEW_MS = 2_000;
const DATA_CHANNELS = ['book', 'trade', 'context', 'liquidation'] as const;

type DataEvent = Extract<EventHead, { kind: (typeof DATA_CHANNELS)[number] }>;

interface FlaggedRows {
  readonly flags: Uint8Array;
  readonly state: RowState;
}

type Working = { -readonly [K in Exclude<keyof RowState, 'cut'>]: RowState[K] } & { readonly cut: Set<Channel> };

/**
 * Flags of entries in log order. Duplicates (`repeats`) are never served, so they do not consume the flags of the next
 * row.
 */
export function flagRows(before: RowState, events: readonly EventHead[], repeats: ReadonlySet<number>): FlaggedRows {
  const state: Working = { ...before, cut: new Set(before.cut) };
  const flags = new Uint8Array(events.length);
  for (const [index, event] of events.entries()) flags[index] = flagsOf(state, event, repeats);
  return { flags, state: { ...state, cut: DATA_CHANNELS.filter((channel) => state.cut.has(channel)) } };
}

function flagsOf(state: Working, event: EventHead, repeats: ReadonlySet<number>): number {
  if (state.ordinal !== 0 && event.ordinal !== state.ordinal + 1) cutAll(state);
  state.ordinal = event.ordinal;
  switch (event.kind) {
    case 'tick':
      state.clockMs = event.feedClockMs;
      state.firstWindowStartMs ??= (Math.ceil(event.feedClockMs / WINDOW_MS) - 1) * WINDOW_MS;
      break;
    case 'feed_status':
      applyStatus(state, event);
      break;
    default:
      if (event.kind === 'book') state.firstBookMs = Math.min(state.firstBookMs ?? Infinity, event.exchangeTsMs);
      return syntheticFlag(state) | clockFlags(state, event) | (repeats.has(event.ordinal) ? ROW_FLAG.duplicate : placeFlags(state, event));
  }
  return syntheticFlag(state);
}

function applyStatus(state: Working, { status }: FeedStatusEvent): void {
  switch (status.type) {
    case 'connected':
      state.closingLagMs = status.closingLagMs;
      state.isSynthetic = status.sourceKind === 'simulated';
      state.isSnapshotDue = true;
      return;
    case 'disconnected':
      return cutAll(state);
    case 'seam':
      state.isSnapshotDue = true;
      return cutAll(state);
    case 'gap':
      if (status.reason === 'arrived_late') return;
      if (status.channel === undefined) cutAll(state);
      else if (status.channel !== 'control') state.cut.add(status.channel);
      return;
    case 'resynced':
      if (status.channel === undefined || status.channel === 'book') state.isSnapshotDue = true;
  }
}

function cutAll({ cut }: Working): void {
  for (const channel of DATA_CHANNELS) cut.add(channel);
}

function syntheticFlag({ isSynthetic }: Working): number {
  return isSynthetic ? ROW_FLAG.synthetic : 0;
}

function clockFlags(state: Working, { exchangeTsMs, receivedTsMs, exchangeTsIsReceiveTime }: DataEvent): number {
  const isSkewed = !exchangeTsIsReceiveTime && Math.abs(exchangeTsMs - receivedTsMs) > CLOCK_SKEW_MS;
  const isAhead = exchangeTsMs > receivedTsMs;
  return (isLate(state, exchangeTsMs) ? ROW_FLAG.late : 0) | (isSkewed ? ROW_FLAG.clockSkew : 0) | (isAhead ? ROW_FLAG.venueClockAhead : 0);
}

/** The time's window (T − 10 s, T] belongs to this log and was already closed by a tick. */
function isLate({ clockMs, closingLagMs, firstWindowStartMs }: Working, exchangeTsMs: number): boolean {
  if (clockMs === null || closingLagMs === null || firstWindowStartMs === null) return false;
  const closedMs = Math.floor((clockMs - closingLagMs) / WINDOW_MS) * WINDOW_MS;
  return exchangeTsMs <= closedMs && exchangeTsMs > firstWindowStartMs;
}

function placeFlags(state: Working, { kind }: DataEvent): number {
  const afterGap = state.cut.delete(kind) ? ROW_FLAG.afterGap : 0;
  if (kind !== 'book' || !state.isSnapshotDue) return afterGap;
  state.isSnapshotDue = false;
  return afterGap | ROW_FLAG.snapshot;
}

function writeOnce({ deps, symbol, batch, at, before, onCopied }: Work, repeatsOf: Repeats): Promise<Committed> {
  return inTransaction(deps.pool, async (client) => {
    // Overlaps with the previous batch's copy.
    const counted = tally(batch.entries, NO_REPEATS);
    const place = await at;
    const first = firstAfter(place.position, batch);
    if (first === -1) {
      await before;
      return { ...place, rows: 0 };
    }
    const repeats = await repeatsOf(client, batch.entries.slice(first));
    const prepared = prepare({ symbol, batch, place, first, repeats, counted });
    await copyBinary(client, LOG_ENTRY, prepared.rows);
    onCopied(prepared.committed);
    await before;
    await writeEffects(client, [prepared]);
    return prepared.committed;
  });
}

export interface SymbolBatch {
  readonly symbol: string;
  readonly batch: Batch;
  /** Place after the symbol's previous batch, which is committed. */
  readonly place: LogPosition;
}

/**
 * Writes like `writeBatch`, but several symbols' batches in one transaction. Rejects if a single one cannot be written,
 * also because the venue sent something twice.
 */
export async function writeTogether({ pool, partitions }: CommitDeps, batches: readonly SymbolBatch[]): Promise<readonly Committed[]> {
  const prepared = batches.flatMap(({ symbol, batch, place }) => {
    const first = firstAfter(place.position, batch);
    return first === -1 ? [] : [prepare({ symbol, batch, place, first, repeats: NO_REPEATS })];
  });
  try {
    await partitions.ensure(daysOf(batches.flatMap(({ batch }) => batch.entries)));
    if (prepared.length > 0)
      await inTransaction(pool, async (client) => {
        await copyBinary(client, LOG_ENTRY, Buffer.concat(prepared.map(({ rows }) => rows)));
        await writeEffects(client, prepared);
      });
  } catch (error) {
    partitions.forget();
    throw error;
  }
  const committed = new Map(prepared.map((each) => [each.symbol, each.committed]));
  return batches.map(({ symbol, place }) => committed.get(symbol) ?? { ...place, rows: 0 });
}

function firstAfter(position: EntryId, { entries }: Batch): number {
  return entries.findIndex(({ entry }) => compareEntryIds(entry, position) > 0);
}

interface Preparing extends SymbolBatch {
  /** Index of the first entry that is not committed. */
  readonly first: number;
  readonly repeats: ReadonlySet<number>;
  /** Totals of the whole batch without repeats, if computed before. */
  readonly counted?: Totals;
}

interface Prepared {
  readonly symbol: string;
  readonly from: EntryId;
  readonly fresh: readonly RecordedEntry[];
  readonly rows: Buffer;
  readonly totals: Totals;
  readonly committed: Committed;
}

function prepare({ symbol, batch, place, first, repeats, counted }: Preparing): Prepared {
  const fresh = first === 0 ? batch.entries : batch.entries.slice(first);
  const { entry: last } = fresh[fresh.length - 1] as RecordedEntry;
  const { flags, state } = flagRows(
    place.state,
    fresh.map(({ event }) => event),
    repeats,
  );
  return {
    symbol,
    from: place.position,
    fresh,
    rows: rowsOf(batch, first, fresh, flags, repeats),
    totals: counted !== undefined && first === 0 && repeats.size === 0 ? counted : tally(fresh, repeats),
    committed: { rows: fresh.length, position: { epoch: last.epoch, ordinal: last.ordinal }, state },
  };
}

/** Totals, positions and gap ledger of copied rows. */
async function writeEffects(client: PoolClient, batches: readonly Prepared[]): Promise<void> {
  const changes: LedgerChange[] = [];
  for (const { symbol, from, fresh } of batches) changes.push(...ledgerChanges(await gapsOfJumps(client, symbol, from, fresh), fresh));
  const effects = batches.map(({ symbol, from, totals, committed: { position: to, state } }) => ({ symbol, from, to, totals, state }));
  if (!(await writeTotals(client, effects))) throw new PositionMovedError('the stored position has changed');
  await writeLedger(client, changes);
  for (const { fresh } of batches) {
    const connected = newestConnected(fresh);
    if (connected !== undefined) await writeConnection(client, connected);
  }
}

function rowsOf({ rows }: Batch, first: number, fresh: readonly RecordedEntry[], flags: Uint8Array, repeats: ReadonlySet<number>): Buffer {
  if (repeats.size > 0) return encodeRows(fresh, flags);
  writeFlags(rows, first, flags);
  return rows.bytes.subarray(rows.starts[first]);
}

function daysOf(entries: readonly RecordedEntry[]): Partition[] {
  const days: Partition[] = [];
  const current = new Map<Channel, number>();
  for (const { event } of entries) {
    const channel = channelOf(event);
    const dayMs = dayOf(event.exchangeTsMs);
    if (current.get(channel) === dayMs) continue;
    current.set(channel, dayMs);
    days.push({ channel, dayMs });
  }
  return days;
}

function newestConnected(entries: readonly RecordedEntry[]): FeedStatusEvent | undefined {
  const found = entries.findLast(({ event }) => event.kind === 'feed_status' && event.status.type === 'connected')?.event;
  return found?.kind === 'feed_status' ? found : undefined;
}

async function gapsOfJumps(client: PoolClient, symbol: string, stored: EntryId, fresh: readonly RecordedEntry[]): Promise<GapRow[]> {
  const jumps = findJumps(stored, fresh);
  if (jumps.length === 0) return [];
  const storedLastMs = await lastExchangeTsMs(client, symbol, stored.ordinal);
  return jumps.flatMap((jump) => {
    const inBatch = fresh
      .filter(({ entry, event }) => entry.ordinal <= jump.before.ordinal && event.kind !== 'tick')
      .map(({ event }) => event.exchangeTsMs);
    return gapOfJump(jump, Math.max(storedLastMs, ...inBatch)) ?? [];
  });
}

type Hour = { -readonly [K in keyof HourChange]: HourChange[K] };

/** Duplicates (`repeats`) are excluded from candles, but extend the hour's ordinal range. */
function tally(entries: readonly RecordedEntry[], repeats: ReadonlySet<number>): Totals {
  const hours = new Map<string, Hour>();
  const current = new Map<string, Hour>();
  const candles = new TradeCandles(MINUTE_MS);
  for (const { entry, event } of entries) {
    const channel = channelOf(event);
    const hourMs = Math.floor(event.receivedTsMs / HOUR_MS) * HOUR_MS;
    let hour = current.get(channel);
    if (hour?.hour_ms !== hourMs) {
      const key = `${channel} ${hourMs}`;
      hour = hours.get(key) ?? startHour(channel, hourMs, entry.ordinal, event.exchangeTsMs);
      hours.set(key, hour);
      current.set(channel, hour);
    }
    const isRepeat = repeats.has(entry.ordinal);
    if (isRepeat) hour.duplicate_total += 1;
    else hour.row_total += 1;
    hour.payload_bytes += entry.payload.byteLength;
    hour.last_ordinal = entry.ordinal;
    if (event.exchangeTsMs < hour.min_exchange_ms) hour.min_exchange_ms = event.exchangeTsMs;
    if (event.exchangeTsMs > hour.max_exchange_ms) hour.max_exchange_ms = event.exchangeTsMs;
    if (event.kind === 'trade' && !isRepeat) candles.add(event);
  }
  return { hours: [...hours.values()], candles: candles.list() };
}

function startHour(channel: Hour['channel'], hourMs: number, ordinal: number, exchangeTsMs: number): Hour {
  return {
    channel,
    hour_ms: hourMs,
    row_total: 0,
    duplicate_total: 0,
    payload_bytes: 0,
    first_ordinal: ordinal,
    last_ordinal: ordinal,
    min_exchange_ms: exchangeTsMs,
    max_exchange_ms: exchangeTsMs,
  };
}
