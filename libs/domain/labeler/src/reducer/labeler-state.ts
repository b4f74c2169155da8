import { channelOf, identityOf, type FeedStatusEvent } from '@market-state/market-data';
import type { Dwell, SessionStateMemory } from '../decision/decide';
import { SortedWindow } from '../numbers/samples';
import type { PolicyNumbers } from '../policy/numbers';
import type { NearDepth } from '../features/ranges';
import type { RangeMeans } from '../read';
import { defaultCalibration, type Calibration, NOTHING_HELD_BEFORE, type HeldMemories } from '../composites/thresholds';
import { Ring } from '../windows/ring';
import { type DataEvent, createEntryWindows, type EntryWindows } from '../windows/entry-windows';
import type { HexDigest } from '../lineage';
import type { Policy } from '../policy/policy';
import { GapLedger } from '../sources/gaps';
import type { VenueFacts } from '../sources/families';
import type { LanesMemory } from '../label/lane-reads';

export type SeenId = readonly [identity: string, exchangeTsMs: number];

export function identityKey(event: DataEvent): string {
  return `${channelOf(event)}:${event.pass}:${identityOf(event)}`;
}

/** Covers the last minutes of event time, for deduplication. */
export class SeenIds {
  private readonly order: Ring<SeenId>;
  private readonly times: Map<string, number>;

  constructor(
    private readonly spanMs: number,
    seen: Iterable<SeenId> = [],
  ) {
    this.order = new Ring();
    this.times = new Map();
    for (const id of seen) this.note(id);
  }

  /**
   * True if known with an exchange time at most `spanMs` away. Ids are retained while their time is after `closedMs` −
   * `spanMs`; `closedMs` is the end of the last window.
   */
  has(identity: string, exchangeTsMs: number, closedMs: number): boolean {
    const known = this.times.get(identity);
    return known !== undefined && known > closedMs - this.spanMs && Math.abs(exchangeTsMs - known) <= this.spanMs;
  }

  addNew(identity: string, exchangeTsMs: number, closedMs: number): boolean {
    if (this.has(identity, exchangeTsMs, closedMs)) return false;
    this.note([identity, exchangeTsMs]);
    return true;
  }

  private note(id: SeenId): void {
    const [identity, exchangeTsMs] = id;
    this.order.push(id);
    this.times.set(identity, Math.max(exchangeTsMs, this.times.get(identity) ?? exchangeTsMs));
  }

  forget(beforeMs: number): void {
    for (let oldest = this.order.at(0); oldest !== undefined && oldest[1] <= beforeMs; oldest = this.order.at(0)) {
      this.order.shift();
      if (this.times.get(oldest[0]) === oldest[1]) this.times.delete(oldest[0]);
    }
  }

  dump(): readonly SeenId[] {
    return [...this.order];
  }
}

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

export interface SessionSample {
  readonly pressure: number;
  readonly flow: number;
  readonly fragility: number;
  readonly depth: number;
  readonly spreadBps: number;
}

interface SessionWindows {
  readonly depths: SortedWindow;
  readonly spreads: SortedWindow;
}

export function sessionBookOf(samples: readonly SessionSample[], { windows }: PolicyNumbers): SessionWindows {
  return {
    depths: new SortedWindow(
      windows.session_packets,
      samples.map((sample) => sample.depth),
    ),
    spreads: new SortedWindow(
      windows.session_packets,
      samples.map((sample) => sample.spreadBps),
    ),
  };
}

export function addSample({ session, sessionBook }: PacketMemory, sample: SessionSample): void {
  session.push(sample);
  sessionBook.depths.push(sample.depth);
  sessionBook.spreads.push(sample.spreadBps);
}

interface PreviousPacket {
  readonly eventClass: string;
  readonly eventProfile: string;
  readonly tags: readonly string[];
  readonly countedTags: readonly string[];
}

/** Gaps never cut it. */
export interface PacketMemory extends LanesMemory {
  packetsMade: number;
  readonly session: Ring<SessionSample>;
  readonly sessionBook: SessionWindows;
  readonly returns: Ring<number>;
  calibration: Calibration;
  held: HeldMemories;
  dwell: Dwell | null;
  sessionState: SessionStateMemory | null;
  ranges: RangeMeans | null;
  nearDepth: NearDepth | null;
  previous: PreviousPacket | null;
  readonly noveltyTags: Ring<readonly string[]>;
}

export function historyLimit({ windows, lanes }: PolicyNumbers): number {
  const lagMs = Math.max(lanes.session_every_ms + lanes.session_lag_ms, lanes.history_every_ms * 2 + lanes.history_lag_ms);
  return Math.max(windows.session_packets, lanes.session_packets) + Math.ceil(lagMs / windows.packet_interval_ms);
}

export function createMemory(numbers: PolicyNumbers): PacketMemory {
  return {
    packetsMade: 0,
    history: new Ring([], historyLimit(numbers)),
    session: new Ring([], numbers.windows.session_packets),
    sessionBook: sessionBookOf([], numbers),
    returns: new Ring([], numbers.windows.session_return_total),
    calibration: defaultCalibration(numbers, 0),
    held: NOTHING_HELD_BEFORE,
    dwell: null,
    sessionState: null,
    ranges: null,
    nearDepth: null,
    previous: null,
    noveltyTags: new Ring([], numbers.windows.novelty_packets),
    sessionLane: { asOfMs: 0, read: null },
    historyLane: { asOfMs: 0, read: null },
    historyBlocks: new Ring([], numbers.lanes.history_blocks),
  };
}

/** Previous lineage digest of a chain's first packet. */
export const ZERO_DIGEST: HexDigest = '0'.repeat(64);

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
