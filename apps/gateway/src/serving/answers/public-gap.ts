import type { marketData } from '@market-state/contracts';
import { toUtc, toUtcOrNull } from '../meta/utc';

/** A gap as every answer shows it. */
export function publicGap(gap: marketData.Gap) {
  return {
    gap_id: gap.gapId,
    symbol: gap.symbol,
    channel: gap.channel === '' ? null : gap.channel,
    start_utc: toUtc(gap.startMs),
    end_utc: toUtcOrNull(gap.endMs),
    reason: gap.reason,
    resolution: gap.resolution,
  };
}
