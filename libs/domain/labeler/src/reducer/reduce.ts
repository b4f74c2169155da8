import {
  type MarketEvent,
  type TickEvent,
  compareEvents,
  type FeedStatusEvent,
  canonicalStream,
  type Channel,
} from '@market-state/market-data';
import { type PacketResult, chainPacket, labelPacket } from '../label/label-packet';
import { type DataEvent, advanceWindows, applyEvent } from '../windows/entry-windows';
import { type LabelerState, type LogState, identityKey } from './labeler-state';
import type { LabelInput } from '../label/observe';
import { sha256Hex, type HexDigest } from '../lineage';
import { type GapSpan, CUT_CHANNELS, type CutChannel, type Cuts, bookSilences } from '../sources/gaps';
import type { PolicyNumbers } from '../policy/numbers';
import { readVenueFacts } from '../sources/families';

/** input_digest: SHA-256 of the canonical encodings in order, each prefixed with its length as a protobuf varint. */
function inputDigest(entries: Iterable<MarketEvent>): HexDigest {
  return sha256Hex(canonicalStream(entries));
}

/**
 * Applies the window's feed status entries in log order, then its events in the order of `compareEvents`, and makes the
 * packet.
 */
function closeWindow(state: LabelerState, windowEndMs: number, closingOrdinal: number): PacketResult {
  const { log, windows, policy } = state;
  const { numbers } = policy;
  const statuses = log.statuses;
  log.statuses = [];
  const reconnectTotal = statuses.filter((event) => applyStatus(log, windows.cuts, event, windowEndMs, numbers)).length;
  const events = takeEvents(state, windowEndMs);
  for (const event of events) applyEvent(windows, event);
  advanceWindows(windows, windowEndMs, numbers);
  noteClosed(state, windowEndMs, reconnectTotal);
  const forgottenMs = windowEndMs - numbers.windows.duplicate_ms;
  log.seen.forget(forgottenMs);
  log.lateSeen.forget(forgottenMs);
  log.gaps.forget(forgottenMs);

  const label = labelPacket(labelInput(state, windowEndMs, events), {
    afterCut: takeOpenCuts(state, windowEndMs),
    policy,
    inputDigest: inputDigest(entriesOf(events, statuses)),
    chain: state.chain,
  });
  return chainPacket(state.chain, state.memory, label, policy, closingOrdinal);
}

/** Each identity once; later events stay pending. */
function takeEvents({ log, policy }: LabelerState, windowEndMs: number): readonly DataEvent[] {
  const closedMs = windowEndMs - policy.numbers.windows.packet_interval_ms;
  const due = log.pending.filter((event) => event.exchangeTsMs <= windowEndMs).sort(compareEvents);
  log.pending = log.pending.filter((event) => event.exchangeTsMs > windowEndMs);
  return due.filter((event) => log.seen.addNew(identityKey(event), event.exchangeTsMs, closedMs));
}

function noteClosed({ log, policy }: LabelerState, windowEndMs: number, reconnectTotal: number): void {
  log.closed.push({ windowEndMs, reconnectTotal, lateTotal: log.lateSinceClose });
  log.lateSinceClose = 0;
  const oldestMs = windowEndMs - policy.numbers.windows.quality_ms;
  for (let first = log.closed.at(0); first !== undefined && first.windowEndMs <= oldestMs; first = log.closed.at(0)) log.closed.shift();
}

function takeOpenCuts({ log }: LabelerState, windowEndMs: number): boolean {
  const before = log.openCuts.length;
  log.openCuts = log.openCuts.filter((instantMs) => instantMs >= windowEndMs);
  return log.openCuts.length < before;
}

function labelInput(state: LabelerState, windowEndMs: number, events: readonly DataEvent[]): LabelInput {
  const { log, windows, memory, policy } = state;
  const { facts } = log;
  if (facts === null) throw new Error('a window closes only after a connected entry');
  const { quality_ms: qualityMs } = policy.numbers.windows;
  const closed = [...log.closed];
  const applied = { book: 0, trade: 0, context: 0, liquidation: 0 };
  for (const event of events) applied[event.kind]++;
  return {
    market: state.symbol,
    windowEndMs,
    facts,
    windows,
    memory,
    numbers: policy.numbers,
    spans: log.gaps.within(windowEndMs, qualityMs),
    bookSilences: bookSilences(windows.books.stampsMs.toArray(), log.gaps.seams(), windowEndMs, qualityMs, facts.bookStalenessMs),
    reconnectTotal: closed.reduce((total, window) => total + window.reconnectTotal, 0),
    lateTotal: closed.reduce((total, window) => total + window.lateTotal, 0),
    lateTotalEver: log.lateTotal,
    applied,
  };
}

function* entriesOf(events: readonly DataEvent[], statuses: readonly FeedStatusEvent[]): Generator<MarketEvent> {
  yield* events;
  yield* statuses;
}

/**
 * Applies one log entry and returns the packets of the windows that it closes, oldest first. Only ticks close windows.
 * Entries at or before the last applied ordinal are ignored. Modifies `state`.
 */
export function reduce(state: LabelerState, event: MarketEvent): PacketResult[] {
  const { log } = state;
  if (event.ordinal <= log.ordinal) return [];
  log.ordinal = event.ordinal;
  log.epoch = event.epoch;
  switch (event.kind) {
    case 'book':
    case 'trade':
    case 'context':
    case 'liquidation':
      take(state, event);
      return [];
    case 'feed_status':
      log.statuses.push(event);
      if (event.status.type === 'connected') log.closingLagMs = event.status.closingLagMs;
      return [];
    case 'tick':
      return tick(state, event);
  }
}

function take(state: LabelerState, event: DataEvent): void {
  const closedMs = closedUntil(state);
  if (closedMs === null || event.exchangeTsMs > closedMs) state.log.pending.push(event);
  else countLate(state, event, closedMs);
}

/**
 * Excludes repeats of known events, and events that precede the log's first window, in which no packet could have
 * included them.
 */
function countLate({ log }: LabelerState, event: DataEvent, closedMs: number): void {
  if (log.firstWindowStartMs !== null && event.exchangeTsMs <= log.firstWindowStartMs) return;
  const identity = identityKey(event);
  if (log.seen.has(identity, event.exchangeTsMs, closedMs) || !log.lateSeen.addNew(identity, event.exchangeTsMs, closedMs)) return;
  log.lateSinceClose++;
  log.lateTotal++;
}

/** Opens the first window, also after a jump, and closes those due. */
function tick(state: LabelerState, event: TickEvent): PacketResult[] {
  const { log, policy } = state;
  const { packet_interval_ms: intervalMs, tick_jump_ms: jumpMs } = policy.numbers.windows;
  if (log.closingLagMs === null) return [];
  const clockMs = event.feedClockMs;
  if (log.lastTickMs === null || clockMs - log.lastTickMs > jumpMs) openAt(state, Math.ceil(clockMs / intervalMs) * intervalMs);
  log.lastTickMs = clockMs;
  const results: PacketResult[] = [];
  for (let next = log.nextWindowEndMs; next !== null && clockMs >= next + log.closingLagMs; next = log.nextWindowEndMs) {
    results.push(closeWindow(state, next, event.ordinal));
    log.nextWindowEndMs = next + intervalMs;
  }
  return results;
}

/** Never moves back. Pending events of skipped windows are late, and skipping cuts every channel. */
function openAt(state: LabelerState, windowEndMs: number): void {
  const { log, windows } = state;
  if (log.nextWindowEndMs !== null && windowEndMs <= log.nextWindowEndMs) return;
  const skipped = log.nextWindowEndMs !== null;
  log.nextWindowEndMs = windowEndMs;
  const closedMs = windowEndMs - state.policy.numbers.windows.packet_interval_ms;
  log.firstWindowStartMs ??= closedMs;
  const late = log.pending.filter((event) => event.exchangeTsMs <= closedMs);
  log.pending = log.pending.filter((event) => event.exchangeTsMs > closedMs);
  for (const event of late) countLate(state, event, closedMs);
  if (skipped) cutAll(log, windows.cuts, closedMs);
}

/** End of the last closed or skipped window; null before the first tick. */
export function closedUntil({ log, policy }: LabelerState): number | null {
  return log.nextWindowEndMs === null ? null : log.nextWindowEndMs - policy.numbers.windows.packet_interval_ms;
}

/** Returns true for a reconnection: a `connected` that is neither the log's first nor the first of its pass. */
function applyStatus(log: LogState, cuts: Cuts, event: FeedStatusEvent, windowEndMs: number, numbers: PolicyNumbers): boolean {
  const { status } = event;
  switch (status.type) {
    case 'connected': {
      const reconnected = log.facts !== null && event.pass <= log.facts.pass;
      log.facts = readVenueFacts(event, status, numbers);
      return reconnected;
    }
    case 'disconnected':
      cutAll(log, cuts, event.exchangeTsMs);
      return false;
    case 'gap':
    case 'resynced':
    case 'seam': {
      const oldestMs = windowEndMs - numbers.windows.duplicate_ms;
      if (status.type === 'gap' && status.reason === 'arrived_late') withdrawSpan(log, cuts, status.gapId, oldestMs);
      else applySpan(log, cuts, spanOf(status, log), oldestMs);
      return false;
    }
  }
}

type SpanStatus = Extract<FeedStatusEvent['status'], { readonly type: 'gap' | 'resynced' | 'seam' }>;

function spanOf(status: SpanStatus, log: LogState): GapSpan {
  const { gapId, startMs, endMs } = status;
  if (status.type === 'seam') return { gapId, channel: null, startMs, endMs, reason: 'recording_seam', seam: true };
  const reason = status.type === 'gap' ? status.reason : resyncedReason(log.gaps.find(gapId));
  return { gapId, channel: cutChannel(status.channel), startMs, endMs, reason, seam: false };
}

/** A seam that ends with a fresh snapshot becomes a gap. */
function resyncedReason(known: GapSpan | undefined): string {
  return known === undefined || known.seam ? 'sequence_gap' : known.reason;
}

/**
 * Cuts at a span's start the first time. Spans that ended at or before `oldestMs` are no longer in the ledger, so
 * repeats of them are ignored and never cut twice.
 */
function applySpan(log: LogState, cuts: Cuts, span: GapSpan, oldestMs: number): void {
  const known = log.gaps.find(span.gapId) !== undefined;
  if (!known && span.endMs !== 0 && span.endMs <= oldestMs) return;
  log.gaps.put(span);
  if (known) return;
  if (span.channel === null) cutAll(log, cuts, span.startMs);
  else cuts.add(span.channel, span.startMs);
}

/**
 * Undoes a span and its cut; ignores unknown ids. A cut at or before `oldestMs` stays, because earlier ones may have
 * been dropped.
 */
function withdrawSpan(log: LogState, cuts: Cuts, gapId: string, oldestMs: number): void {
  const span = log.gaps.withdraw(gapId);
  if (span === undefined || span.startMs <= oldestMs) return;
  if (span.channel !== null) return cuts.takeBack(span.channel, span.startMs);
  for (const channel of CUT_CHANNELS) cuts.takeBack(channel, span.startMs);
  const open = log.openCuts.indexOf(span.startMs);
  if (open >= 0) log.openCuts.splice(open, 1);
}

/** Also marks the next packet as the first of a new lineage. */
function cutAll(log: LogState, cuts: Cuts, instantMs: number): void {
  cuts.addAll(instantMs);
  log.openCuts.push(instantMs);
}

function cutChannel(channel: Channel | undefined): CutChannel | null {
  return CUT_CHANNELS.find((known) => known === channel) ?? null;
}
