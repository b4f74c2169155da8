import { type LedgerLine, lossOf, msInGaps } from '@market-state/market-data';
import { COMPOSITES, type Packet } from '@market-state/labeler';
import type { Definitions } from './definitions';
import { calibrationView } from './evidence-view';
import { featureViews } from './scores/feature-view';
import { featureFamilyViews, sourceQualityView } from './family-status';

/** Freshness of a packet after its window's end (or its creation, if earlier), when the next two are due. */
export const PACKET_FRESH_MS = 25_000;

export function featureQuality(packet: Packet, definitions: Definitions) {
  const features = featureViews(packet, definitions);
  const totalOf = (state: (typeof features)[number]['state']) => features.filter((feature) => feature.state === state).length;
  return {
    ...sourceQualityView(packet, definitions),
    feature_totals: {
      feature_total: features.length,
      observed_total: totalOf('observed'),
      missing_total: totalOf('missing'),
      nothing_to_measure_total: totalOf('nothing_to_measure'),
      not_measurable_yet_total: totalOf('not_measurable_yet'),
    },
    feature_families: featureFamilyViews(packet, definitions),
    features,
    scores: COMPOSITES.map((name) => {
      const { score, level } = packet.state_decision_trace.composites[name];
      return { composite: name, label: definitions.label('drivers', name), available: score !== null, level };
    }),
    calibration: calibrationView(packet, definitions),
    gaps: packet.source_resolution.gaps,
  };
}

/** Span before the feed clock over which coverage is measured. */
export const COVERAGE_SPAN_MS = 86_400_000;

const WHOLE_FROM = 0.999;
const USABLE_FROM = 0.95;

/** `whole`: 99.9 % of the span has no gap. `usable`: 95 %. `broken`: less, an open gap, or stale rows. */
type QualityClass = 'whole' | 'usable' | 'broken' | 'not_reported';

export interface LedgerGap extends LedgerLine {
  readonly startMs: number;
}

interface ChannelFacts {
  readonly reported: boolean;
  readonly isFresh: boolean;
  readonly gaps: readonly LedgerGap[];
  /** Exchange time of the oldest stored row; 0 if there is none. */
  readonly firstMs: number;
  readonly feedClockMs: number;
}

/**
 * Coverage of a channel over the last day. Seams that lost nothing are counted separately; withdrawn gaps are not
 * counted.
 */
interface ChannelCoverage {
  readonly qualityClass: QualityClass;
  readonly observedMs: number;
  readonly lostMs: number;
  /** Six decimals; null if nothing was observed. */
  readonly share: number | null;
  readonly gapTotal: number;
  readonly openGapTotal: number;
  readonly seamTotal: number;
}

export function channelCoverage({ reported, isFresh, gaps, firstMs, feedClockMs }: ChannelFacts): ChannelCoverage {
  const startMs = Math.max(firstMs, feedClockMs - COVERAGE_SPAN_MS);
  const observedMs = reported && firstMs > 0 ? Math.max(0, feedClockMs - startMs) : 0;
  const holes = gaps.filter((gap) => lossOf(gap) !== 'none');
  const seams = gaps.filter((gap) => lossOf(gap) === 'none' && gap.resolution !== 'withdrawn');
  const lostMs = observedMs === 0 ? 0 : msInGaps(holes, startMs, feedClockMs);
  const share = observedMs === 0 ? null : Math.round((1 - lostMs / observedMs) * 1e6) / 1e6;
  const openGapTotal = holes.filter(({ endMs }) => endMs === 0).length;
  return {
    qualityClass: classOf(reported, isFresh && openGapTotal === 0, share),
    observedMs,
    lostMs,
    share,
    gapTotal: holes.length,
    openGapTotal,
    seamTotal: seams.length,
  };
}

function classOf(reported: boolean, isUpToDate: boolean, share: number | null): QualityClass {
  if (!reported) return 'not_reported';
  if (!isUpToDate || share === null || share < USABLE_FROM) return 'broken';
  return share < WHOLE_FROM ? 'usable' : 'whole';
}
