import type { marketData } from '@market-state/contracts';
import { decodeEvent, type FeedStatusEvent } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { StoredRow } from '../store/window-reader';
import { type GapRow, gapsToldBy } from '../recorder/gap-ledger';
import { readGapOf, readLossesToldAt } from '../store/gaps';
import { toPublicChannel } from './public-channels';

export function toProtoGap(
  { gapId, symbol, channel, startMs, endMs, reason, resolution }: GapRow,
  place?: marketData.LogPosition,
): marketData.Gap {
  return { gapId, symbol, channel: channel === undefined ? '' : toPublicChannel(channel), startMs, endMs, reason, resolution, place };
}

/** `packet_window_end_ms` of a position behind the gap reported there. */
export const GAP_TOLD = 1;

export interface ToldGaps {
  /** Losses that no entry reports: right before the row, in its epoch. */
  readonly before: readonly marketData.Gap[];
  /** Reported by the row itself. */
  readonly after: readonly marketData.Gap[];
}

const NOTHING: ToldGaps = { before: [], after: [] };

/**
 * Gaps around a control row as originally reported, so that live and later reads agree. `epochBefore`: epoch of the
 * previous control row, if known. Rejects as `storeFailure`.
 */
export async function gapsToldAt(pool: Pool, row: StoredRow, epochBefore: number | undefined): Promise<ToldGaps> {
  const event = decodeEvent(row.payload);
  const status = event.kind === 'feed_status' ? event : undefined;
  const isNewEpoch = epochBefore !== undefined && row.epoch > epochBefore;
  if (status === undefined && !isNewEpoch) return NOTHING;
  const told = status === undefined ? [] : await gapsOf(pool, status);
  const losses = isNewEpoch ? await readLossesToldAt(pool, event.symbol, row.receivedTsMs) : [];
  const lost = losses.filter(({ gapId }) => told.every((gap) => gap.gapId !== gapId));
  return {
    before: lost.map((gap) => toProtoGap(gap, { epoch: row.epoch, ordinal: row.ordinal - 1, packetWindowEndMs: GAP_TOLD })),
    after: told.map((gap) => toProtoGap(gap, { epoch: row.epoch, ordinal: row.ordinal, packetWindowEndMs: GAP_TOLD })),
  };
}

/** A gap's end only names it; the rest is in the ledger. */
async function gapsOf(pool: Pool, event: FeedStatusEvent): Promise<readonly GapRow[]> {
  const { status, receivedTsMs: toldMs } = event;
  const isWithdrawal = status.type === 'gap' && status.reason === 'arrived_late';
  if (status.type !== 'resynced' && !isWithdrawal) return gapsToldBy(event);
  const { gapId, endMs } = status;
  const ended = await readGapOf(pool, gapId);
  return ended.map((gap) => ({ ...gap, endMs, resolution: isWithdrawal ? 'withdrawn' : 'resynced', toldMs }));
}
