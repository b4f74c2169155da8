import type { FeedStatusEvent } from '@market-state/market-data';
import type { LaneMemory, PreviousPacket, SessionSample } from '../label/memory';
import type { Dwell } from '../decision/publish';
import type { HistoryBlock } from '../lanes/history-lane';
import type { PacketTrace } from '../lanes/packet-trace';
import type { Chain } from '../reducer/labeler-state';
import type { ClosedWindow } from '../reducer/log-state';
import type { SeenId } from '../reducer/seen-ids';
import type { GapSpan } from '../sources/gap-ledger';
import type { VenueFacts } from '../sources/venue-facts';
import type { Calibration } from '../thresholds/calibration';
import type { BookRecord, CurrentBook } from '../windows/book-window';
import type { OpenInterestRecord } from '../windows/context-window';
import type { CutChannel } from '../windows/cuts';
import type { DataEvent } from '../windows/entry-windows';
import type { LiquidationRecord } from '../windows/liquidation-window';
import type { TradeRecord } from '../windows/trade-window';

/** Version of the stored form; a state of another version is not restored. */
export const STATE_FORMAT = 'market_state_labeler_state.v1';

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
    readonly pending: readonly DataEvent[];
    readonly statuses: readonly FeedStatusEvent[];
    readonly seen: readonly SeenId[];
    readonly lateSinceClose: number;
    readonly lateTotal: number;
    readonly facts: VenueFacts | null;
    readonly gaps: readonly GapSpan[];
    readonly openCuts: readonly number[];
    readonly closed: readonly ClosedWindow[];
  };
  readonly windows: {
    readonly books: { readonly records: readonly BookRecord[]; readonly current: CurrentBook | null };
    readonly trades: {
      readonly records: readonly TradeRecord[];
      readonly agedSizes: readonly number[];
      readonly agedTotal: number;
      readonly lastTsMs: number | null;
    };
    readonly context: {
      readonly openInterest: readonly OpenInterestRecord[];
      readonly lastTsMs: number | null;
      readonly fundingRate: number | null;
      readonly markPrice: number | null;
    };
    readonly liquidations: { readonly records: readonly LiquidationRecord[]; readonly lastTsMs: number | null };
    readonly cuts: Readonly<Record<CutChannel, readonly number[]>>;
  };
  readonly memory: {
    readonly packetsMade: number;
    readonly history: readonly PacketTrace[];
    readonly session: readonly SessionSample[];
    readonly returns: readonly number[];
    readonly calibration: Calibration;
    readonly dwell: Dwell | null;
    readonly previous: PreviousPacket | null;
    readonly noveltyTags: readonly (readonly string[])[];
    readonly sessionLane: LaneMemory;
    readonly historyLane: LaneMemory;
    readonly historyBlocks: readonly HistoryBlock[];
  };
  readonly chain: Chain;
}
