import { type Channel, type EventHead, type FeedStatusEvent, WINDOW_MS, ROW_FLAG } from '@market-state/market-data';
import type { RowState } from '../store/row-state';

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
