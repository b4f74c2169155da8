import type { marketData } from '@market-state/contracts';
import { fromProtoChannel } from '../../../clients/channel-name';
import type { FreshnessState } from '../../../serving/meta/meta';
import { toUtcOrNull } from '../../../serving/meta/utc';
import { fromProtoFreshness } from '../../../serving/answers/symbol-freshness';

/** Quality is told over so long before the feed clock, milliseconds. */
export const QUALITY_SPAN_MS = 86_400_000;

const SEAM = 'recording_seam';

/** Share of the span without a gap from which a channel counts as whole, and from which as usable. */
const WHOLE_FROM = 0.999;
const USABLE_FROM = 0.95;

export type QualityClass = 'whole' | 'usable' | 'broken' | 'not_reported';

/** What is known of one channel. */
export interface ChannelFacts {
  readonly freshness: marketData.ChannelFreshness;
  /** Gaps that touch the channel in the span, seams among them. */
  readonly gaps: readonly marketData.Gap[];
  /** Exchange time of the oldest row kept; 0 where none is. */
  readonly firstMs: number;
  readonly feedClockMs: number;
}

/** Milliseconds of a span that lie in a gap, where gaps may overlap; an open gap lasts to the end. */
function gapMs(gaps: readonly marketData.Gap[], startMs: number, endMs: number): number {
  const parts = gaps
    .map((gap) => [Math.max(startMs, gap.startMs), Math.min(endMs, gap.endMs === 0 ? endMs : gap.endMs)] as const)
    .filter(([from, to]) => to > from)
    .sort(([a], [b]) => a - b);
  let coveredToMs = startMs;
  let sum = 0;
  for (const [from, to] of parts) {
    sum += Math.max(0, to - Math.max(from, coveredToMs));
    coveredToMs = Math.max(coveredToMs, to);
  }
  return sum;
}

function classOf(reported: boolean, state: FreshnessState, openGapTotal: number, share: number | null): QualityClass {
  if (!reported) return 'not_reported';
  if (state !== 'fresh' || openGapTotal > 0 || share === null || share < USABLE_FROM) return 'broken';
  return share < WHOLE_FROM ? 'usable' : 'whole';
}

/** A seam joins two passes of a recording: nothing is missing there, so it is counted apart from gaps. */
export function channelQuality({ freshness, gaps, firstMs, feedClockMs }: ChannelFacts) {
  const { reported, stalenessLimitMs } = freshness;
  const state = fromProtoFreshness(freshness.state);
  const startMs = Math.max(firstMs, feedClockMs - QUALITY_SPAN_MS);
  const observedMs = reported && firstMs > 0 ? Math.max(0, feedClockMs - startMs) : 0;
  const holes = gaps.filter(({ reason }) => reason !== SEAM);
  const lostMs = observedMs === 0 ? 0 : gapMs(holes, startMs, feedClockMs);
  const share = observedMs === 0 ? null : Math.round((1 - lostMs / observedMs) * 1e6) / 1e6;
  const openTotal = holes.filter(({ endMs }) => endMs === 0).length;
  return {
    channel: fromProtoChannel(freshness.channel),
    reported,
    quality_class: classOf(reported, state, openTotal, share),
    freshness_state: state,
    last_received_time_utc: toUtcOrNull(freshness.lastReceivedTsMs),
    freshness_ms: freshness.lastExchangeTsMs === 0 ? null : freshness.freshnessMs,
    staleness_limit_ms: stalenessLimitMs === 0 ? null : stalenessLimitMs,
    observed_seconds: reported ? Math.round(observedMs / 1_000) : null,
    covered_share: share,
    gap_total: reported ? holes.length : null,
    open_gap_total: reported ? openTotal : null,
    gap_seconds: reported ? Math.round(lostMs) / 1_000 : null,
    seam_total: reported ? gaps.length - holes.length : null,
  };
}
