import type { FeedStatusEvent } from '@market-state/market-data';
import { ZERO_DIGEST, type HexDigest } from '../lineage/digests';
import { createMemory, type PacketMemory } from '../label/memory';
import type { Policy } from '../policy/policy';
import { createEntryWindows, type EntryWindows, type DataEvent } from '../windows/entry-windows';
import type { PolicyNumbers } from '../policy/numbers';
import { GapLedger } from '../sources/gap-ledger';
import type { VenueFacts } from '../sources/venue-facts';
import { Ring } from '../windows/ring';
import { SeenIds } from './seen-ids';

/** What a closed window knew of the feed, for the flags of the 300 s after it. */
export interface ClosedWindow {
  readonly windowEndMs: number;
  readonly reconnectTotal: number;
  readonly lateTotal: number;
}

/** Where the reducer stands in the log, and what waits for its window to close. */
export interface LogState {
  /** Position of the last entry applied; 0 before the first. */
  ordinal: number;
  epoch: number;
  /** Closing lag of the `connected` logged last; null before the first, when ticks mean nothing yet. */
  closingLagMs: number | null;
  lastTickMs: number | null;
  /** T of the window that closes next; null before the first tick. */
  nextWindowEndMs: number | null;
  /** Where the log's first window began: what is stamped then or earlier happened before the log. Null before the first tick. */
  firstWindowStartMs: number | null;
  /** Data events whose window is open, in log order. */
  pending: DataEvent[];
  /** Feed status entries since the tick that closed the last window, in log order. */
  statuses: FeedStatusEvent[];
  /** Identities of events that are in a packet, and of those that were counted late. */
  readonly seen: SeenIds;
  readonly lateSeen: SeenIds;
  /** Events found late since the tick that closed the last window, and since the log began. */
  lateSinceClose: number;
  lateTotal: number;
  /** As of the feed status entries applied. */
  facts: VenueFacts | null;
  readonly gaps: GapLedger;
  /** Instants of cuts of all channels that no packet has followed yet. */
  openCuts: number[];
  readonly closed: Ring<ClosedWindow>;
}

function createLogState(numbers: PolicyNumbers): LogState {
  return {
    ordinal: 0,
    epoch: 0,
    closingLagMs: null,
    lastTickMs: null,
    nextWindowEndMs: null,
    firstWindowStartMs: null,
    pending: [],
    statuses: [],
    seen: new SeenIds(numbers.windows.duplicate_ms),
    lateSeen: new SeenIds(numbers.windows.duplicate_ms),
    lateSinceClose: 0,
    lateTotal: 0,
    facts: null,
    gaps: new GapLedger(),
    openCuts: [],
    closed: new Ring(),
  };
}

/** The end of a symbol's packet chain. */
export interface Chain {
  lineageDigest: HexDigest;
  packetId: string | null;
}

/**
 * Everything that future packets of one symbol depend on besides future log entries. Made by `createState` or `restoreState`, changed by
 * `reduce` alone. `log.ordinal` and `log.epoch` are the position of the last entry applied (0 before the first).
 */
export interface LabelerState {
  readonly symbol: string;
  readonly policy: Policy;
  readonly log: LogState;
  readonly windows: EntryWindows;
  readonly memory: PacketMemory;
  readonly chain: Chain;
}

/** The state before the first entry of the symbol's log. */
export function createState(symbol: string, policy: Policy): LabelerState {
  const { numbers } = policy;
  return {
    symbol,
    policy,
    log: createLogState(numbers),
    windows: createEntryWindows(numbers),
    memory: createMemory(numbers),
    chain: { lineageDigest: ZERO_DIGEST, packetId: null },
  };
}
