import type { marketData } from '@market-state/contracts';
import { lossOf } from '@market-state/market-data';
import { toUtc, toUtcOrNull } from '../meta/utc';
import type { Described } from '../openapi/described';
import { documentedWord } from '../openapi/documented-word';

const reasonNamed = documentedWord('Gap', 'reason');
const resolutionNamed = documentedWord('Gap', 'resolution');
const channelNamed = documentedWord('Gap', 'channel');

/** Reason of a seam. */
const SEAM = 'recording_seam';

/** A gap as every answer shows it. */
export function publicGap(gap: marketData.Gap): Described<'Gap'> {
  return {
    gap_id: gap.gapId,
    kind: gap.reason === SEAM && lossOf(gap) === 'none' ? 'seam' : 'gap',
    symbol: gap.symbol,
    channel: gap.channel === '' ? null : channelNamed(gap.channel),
    start_utc: toUtc(gap.startMs),
    end_utc: toUtcOrNull(gap.endMs),
    reason: reasonNamed(gap.reason),
    resolution: resolutionNamed(gap.resolution),
  };
}
