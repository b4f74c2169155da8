import type { marketData } from '@market-state/contracts';
import { channelCoverage, type LedgerGap } from '@market-state/packet-views';
import { absenceOfChannel, type SourceOfChannel, clockSkew, fromProtoFreshness } from '../../../serving/answers/symbol-freshness';
import { toUtcOrNull } from '../../../serving/meta/instant';
import type { Described } from '../../../serving/openapi/described';

type Channel = Described<'ChannelQuality'>;

/** What is known of one channel. */
export interface ChannelReport {
  readonly name: Channel['channel'];
  readonly freshness: marketData.ChannelFreshness;
  readonly source: SourceOfChannel;
  /** Gaps that touch the channel in the span, seams among them. */
  readonly gaps: readonly LedgerGap[];
  /** Exchange time of the oldest row stored; 0 where none is. */
  readonly firstMs: number;
  readonly feedClockMs: number;
}

/** A channel as source quality shows it. */
export function channelQuality({ name, freshness, source, gaps, firstMs, feedClockMs }: ChannelReport): Channel {
  const { reported, stalenessLimitMs } = freshness;
  const state = fromProtoFreshness(freshness.state);
  const coverage = channelCoverage({ reported, isFresh: state === 'fresh', gaps, firstMs, feedClockMs });
  return {
    channel: name,
    reported,
    absence: absenceOfChannel(freshness, source),
    quality_class: coverage.qualityClass,
    freshness_state: state,
    last_received_time_utc: toUtcOrNull(freshness.lastReceivedTsMs),
    freshness_ms: freshness.lastExchangeTsMs === 0 ? null : freshness.freshnessMs,
    ...clockSkew(freshness.lastExchangeTsMs, freshness.lastReceivedTsMs),
    staleness_limit_ms: stalenessLimitMs === 0 ? null : stalenessLimitMs,
    observed_seconds: reported ? Math.round(coverage.observedMs / 1_000) : null,
    covered_share: coverage.share,
    gap_total: reported ? coverage.gapTotal : null,
    open_gap_total: reported ? coverage.openGapTotal : null,
    gap_seconds: reported ? Math.round(coverage.lostMs) / 1_000 : null,
    seam_total: reported ? coverage.seamTotal : null,
  };
}
