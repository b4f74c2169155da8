import type { MarketEvent, TickEvent } from '@market-state/market-data';
import type { PacketResult } from '../label/chain-packet';
import type { DataEvent } from '../windows/entry-windows';
import { cutAll } from './apply-status';
import { closeWindow } from './close-window';
import type { LabelerState } from './labeler-state';
import { identityKey } from './seen-ids';

/**
 * Applies one log entry and returns the packets of the windows that it closes, oldest first: none for anything but a tick, usually one
 * for a tick that closes a window. Entries at or before the last ordinal applied change nothing. Changes `state` in place.
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

/** Lets the event wait for its window, or counts it late when that has closed. */
function take(state: LabelerState, event: DataEvent): void {
  const closedMs = closedUntil(state);
  if (closedMs === null || event.exchangeTsMs > closedMs) state.log.pending.push(event);
  else countLate(state, event, closedMs);
}

/**
 * Counts an event whose window is over, unless it repeats one that is in a packet or was counted late, or happened before the log's first
 * window: that one no packet could have held.
 */
function countLate({ log }: LabelerState, event: DataEvent, closedMs: number): void {
  if (log.firstWindowStartMs !== null && event.exchangeTsMs <= log.firstWindowStartMs) return;
  const identity = identityKey(event);
  if (log.seen.has(identity, event.exchangeTsMs, closedMs) || !log.lateSeen.addNew(identity, event.exchangeTsMs, closedMs)) return;
  log.lateSinceClose++;
  log.lateTotal++;
}

/** Moves the clock: opens the first window, or the first after a jump, and closes every window that is due. */
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

/** Makes `windowEndMs` the next window, never an earlier one. Events that wait for skipped ones are late; skipping cuts every channel. */
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

/** End of the last window that is closed or skipped; null before the first tick. */
export function closedUntil({ log, policy }: LabelerState): number | null {
  return log.nextWindowEndMs === null ? null : log.nextWindowEndMs - policy.numbers.windows.packet_interval_ms;
}
