import type { Dwell } from '../decision/publish';
import type { SessionStateMemory } from '../decision/session-state';
import type { HistoryBlock } from '../lanes/history-lane';
import type { PacketTrace } from '../lanes/lane-read';
import { SortedWindow } from '../numbers/sorted-window';
import type { PolicyNumbers } from '../policy/numbers';
import type { NearDepth } from '../features/ranges';
import type { LaneRead, RangeMeans } from '../read';
import { defaultCalibration, type Calibration } from '../thresholds/calibration';
import { NOTHING_HELD_BEFORE, type HeldMemories } from '../thresholds/held';
import { Ring } from '../windows/ring';

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

export interface PreviousPacket {
  readonly eventClass: string;
  readonly eventProfile: string;
  readonly tags: readonly string[];
  readonly countedTags: readonly string[];
}

export interface LaneMemory {
  asOfMs: number;
  read: LaneRead | null;
}

/** Gaps never cut it. */
export interface PacketMemory {
  packetsMade: number;
  readonly history: Ring<PacketTrace>;
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
  readonly sessionLane: LaneMemory;
  readonly historyLane: LaneMemory;
  readonly historyBlocks: Ring<HistoryBlock>;
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
