import type { marketData } from '@market-state/contracts';
import type { GapRow } from '../recorder/gap-ledger';
import { toPublicChannel } from './public-channels';

/** An entry of the ledger; with a place in a stream. */
export function toProtoGap(
  { gapId, symbol, channel, startMs, endMs, reason, resolution }: GapRow,
  place?: marketData.LogPosition,
): marketData.Gap {
  return { gapId, symbol, channel: channel === undefined ? '' : toPublicChannel(channel), startMs, endMs, reason, resolution, place };
}
