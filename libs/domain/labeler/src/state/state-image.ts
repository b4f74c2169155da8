import type { LaneMemory, PreviousPacket } from '../label/memory';
import type { Dwell } from '../decision/publish';
import type { SessionStateMemory } from '../decision/session-state';
import type { HistoryBlock } from '../lanes/history-lane';
import type { Chain } from '../reducer/labeler-state';
import type { SeverityBounds } from '../read';
import type { ClosedWindow } from '../reducer/log-state';
import type { GapSpan } from '../sources/gap-ledger';
import type { VenueFacts } from '../sources/venue-facts';
import type { Calibration } from '../thresholds/calibration';
import type { HeldMemories } from '../thresholds/held';
import type { CurrentBook } from '../windows/book-window';
import type { CutChannel } from '../windows/cuts';
import type { Table } from './table';

/** Version of the stored form; a state of another version is not restored. */
export const STATE_FORMAT = 'market_state_labeler_state.v3';

/** The whole reducer state as plain JSON. */
export interface StateImage {
  readonly format: string;
  readonly symbol: string;
  readonly policyDigest: string;
  readonly log: {
    readonly ordinal: number;
    readonly epoch: number;
    readonly closingLagMs: number | null;
    readonly lastTickMs: number | null;
    readonly nextWindowEndMs: number | null;
    readonly firstWindowStartMs: number | null;
    /** Encoded events, base64. */
    readonly pending: readonly string[];
    readonly statuses: readonly string[];
    /** Identity and exchange time in turn. */
    readonly seen: readonly (string | number)[];
    readonly lateSeen: readonly (string | number)[];
    readonly lateSinceClose: number;
    readonly lateTotal: number;
    readonly facts: VenueFacts | null;
    readonly gaps: readonly GapSpan[];
    readonly openCuts: readonly number[];
    readonly closed: readonly ClosedWindow[];
  };
  readonly windows: {
    readonly books: { readonly records: Table; readonly current: CurrentBook | null; readonly stampsMs: readonly number[] };
    readonly trades: {
      readonly records: Table;
      readonly agedSizes: readonly number[];
      readonly agedTotal: number;
      readonly lastTsMs: number | null;
    };
    readonly context: {
      readonly openInterest: Table;
      readonly lastTsMs: number | null;
      readonly fundingRate: number | null;
      readonly markPrice: number | null;
    };
    readonly liquidations: { readonly records: Table; readonly lastTsMs: number | null };
    readonly cuts: Readonly<Record<CutChannel, readonly number[]>>;
  };
  readonly memory: {
    readonly packetsMade: number;
    readonly history: Table;
    readonly session: Table;
    readonly returns: readonly number[];
    readonly calibration: Calibration;
    readonly held: HeldMemories;
    readonly dwell: Dwell | null;
    readonly sessionState: SessionStateMemory | null;
    readonly severityBounds: SeverityBounds;
    readonly previous: PreviousPacket | null;
    readonly noveltyTags: readonly (readonly string[])[];
    readonly sessionLane: LaneMemory;
    readonly historyLane: LaneMemory;
    readonly historyBlocks: readonly HistoryBlock[];
  };
  readonly chain: Chain;
}
