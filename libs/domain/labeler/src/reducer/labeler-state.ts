import type { FeedStatusEvent } from '@market-state/market-data';
import { ZERO_DIGEST, type HexDigest } from '../lineage/digests';
import { createMemory, type PacketMemory } from '../label/memory';
import type { Policy } from '../policy/policy';
import { createEntryWindows, type EntryWindows, type DataEvent } from '../windows/entry-windows';
import type { PolicyNumbers } from '../policy/numbers';
import { GapLedger } from '../sources/gap-ledger';
import type { VenueFacts } from '../sources/families';
import { Ring } from '../windows/ring';
import { SeenIds } from './seen-ids';

export interface ClosedWindow {
  readonly windowEndMs: number;
  readonly reconnectTotal: number;
  readonly lateTotal: number;
}

export interface LogState {
  ordinal: number;
  epoch: number;
  /** Null before the first `connected`; ticks are ignored until then. */
  closingLagMs: number | null;
  lastTickMs: number | null;
  /** T of the next window to close; null before the first tick. */
  nextWindowEndMs: number | null;
  /** Anything stamped up to it precedes the log. Null before the first tick. */
  firstWindowStartMs: number | null;
  pending: DataEvent[];
  /** Since the tick that closed the last window, in log order. */
  statuses: FeedStatusEvent[];
  readonly seen: SeenIds;
  readonly lateSeen: SeenIds;
  lateSinceClose: number;
  lateTotal: number;
  facts: VenueFacts | null;
  readonly gaps: GapLedger;
  /** Cuts of all channels that no packet has followed yet. */
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

export interface Chain {
  lineageDigest: HexDigest;
  packetId: string | null;
}

/**
 * Everything that a symbol's future packets depend on, except future log entries. Modified only by `reduce`.
 * `log.ordinal` and `log.epoch` identify the last entry applied (0 before the first).
 */
export interface LabelerState {
  /** Key of its market. */
  readonly symbol: string;
  readonly policy: Policy;
  readonly log: LogState;
  readonly windows: EntryWindows;
  readonly memory: PacketMemory;
  readonly chain: Chain;
}

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
