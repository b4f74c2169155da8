import { compareEvents, type FeedStatusEvent, type MarketEvent, canonicalStream } from '@market-state/market-data';
import { chainPacket, type PacketResult } from '../label/chain-packet';
import type { LabelInput } from '../label/label-input';
import { labelPacket } from '../label/label-packet';
import { bookSilences } from '../sources/book-silence';
import { advanceWindows, applyEvent, type DataEvent } from '../windows/entry-windows';
import { applyStatus } from './apply-status';
import { identityKey } from './seen-ids';
import type { LabelerState } from './labeler-state';
import { sha256Hex, type HexDigest } from '../lineage/digests';

/**
 * input_digest: SHA-256 of the canonical encodings, in the order given, each after its length as a protobuf varint.
 */
function inputDigest(entries: Iterable<MarketEvent>): HexDigest {
  return sha256Hex(canonicalStream(entries));
}

/**
 * Closes window T: applies its feed status entries in log order, then its events in the order of `compareEvents`, and makes the packet.
 * `closingOrdinal` is the place of the tick that closes it.
 */
export function closeWindow(state: LabelerState, windowEndMs: number, closingOrdinal: number): PacketResult {
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

/** The window's events in order of application, each identity once; later ones go on waiting. */
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

/** Whether a cut of all channels lies before T that no packet has followed yet. */
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
    symbol: state.symbol,
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
