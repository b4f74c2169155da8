import { type Packet, SOURCE_FAMILIES, type SourceFamily } from '@market-state/labeler';
import type { Definitions } from './definitions';

type SourceFamilyStatus = 'evidence_attached' | 'partial_context' | 'retained_context_attached' | 'not_available';

type FeatureFamilyStatus = 'source_resolved_context' | 'proxy_or_partial_context' | 'retained_context_attached' | 'not_available';

const FEATURE_FAMILIES = [
  'visible_liquidity',
  'fragile_liquidity',
  'flow_aggression',
  'forced_flow',
  'liquidation_pressure',
  'crowding',
  'regime_scenario',
] as const;

const SOURCES_OF: Readonly<Record<(typeof FEATURE_FAMILIES)[number], readonly SourceFamily[]>> = {
  visible_liquidity: ['book'],
  fragile_liquidity: ['book'],
  flow_aggression: ['trades'],
  forced_flow: ['liquidations', 'trades'],
  liquidation_pressure: ['liquidations'],
  crowding: ['asset_context'],
  regime_scenario: ['book'],
};

type Standing = 'resolved' | 'partial' | 'retained' | 'missing';

const SOURCE_WORDS: Readonly<Record<Standing, SourceFamilyStatus>> = {
  resolved: 'evidence_attached',
  partial: 'partial_context',
  retained: 'retained_context_attached',
  missing: 'not_available',
};

const FEATURE_WORDS: Readonly<Record<Standing, FeatureFamilyStatus>> = {
  resolved: 'source_resolved_context',
  partial: 'proxy_or_partial_context',
  retained: 'retained_context_attached',
  missing: 'not_available',
};

/** From worst to best. */
const STANDINGS: readonly Standing[] = ['missing', 'retained', 'partial', 'resolved'];

/** A family past its limit is `retained` if the packet states that only retained context can be read. */
function standingOf(packet: Packet, family: SourceFamily): Standing {
  const { status, reason } = packet.source_status[family];
  const onlyRetained = packet.state_decision_trace.winner_state === 'replay_context_ready';
  return status === 'partial' && reason === 'stale' && onlyRetained ? 'retained' : status;
}

export function sourceFamilyViews(packet: Packet, definitions: Definitions) {
  return SOURCE_FAMILIES.map((family) => {
    const { status, reason, age_ms, unavailable_features } = packet.source_status[family];
    return {
      source_family: family,
      label: definitions.label('source_families', family),
      source_family_status: SOURCE_WORDS[standingOf(packet, family)],
      status,
      reason,
      age_ms,
      unavailable_features: unavailable_features ?? [],
    };
  });
}

/** Status of each feature family: that of its worst source. */
export function featureFamilyViews(packet: Packet, definitions: Definitions) {
  return FEATURE_FAMILIES.map((family) => {
    const sources = SOURCES_OF[family];
    const standings = sources.map((source) => standingOf(packet, source));
    const worst = STANDINGS.find((standing) => standings.includes(standing)) ?? 'missing';
    return {
      feature_family: family,
      label: definitions.label('feature_families', family),
      feature_family_status: FEATURE_WORDS[worst],
      source_families: sources,
    };
  });
}

export function sourceQualityView(packet: Packet, definitions: Definitions) {
  const { quality_class, quality_score, source_support_ratio, gap_flags, gap_seconds } = packet.packet_quality;
  return {
    source_quality_class: packet.source_quality_class,
    source_support_ratio,
    quality_class,
    quality_score,
    gap_flags,
    gap_seconds,
    source_families: sourceFamilyViews(packet, definitions),
  };
}
