import { FEATURE_KEYS, type FeatureKey, type Packet, type SourceFamily } from '@market-state/labeler';
import type { Definitions, ReadingWindow } from '../definitions';

/**
 * `missing`: the source family is missing and the value is null. `nothing_to_measure`: a ratio over zero, counted as 0.
 * `not_measurable_yet`: not comparable with earlier packets, counted as 0.
 */
type FeatureState = 'observed' | 'missing' | 'nothing_to_measure' | 'not_measurable_yet';

type Missing = Extract<Packet['source_status'][SourceFamily], { readonly status: 'missing' }>['reason'];

type Unobserved = Missing | 'never_sent' | Exclude<FeatureState, 'observed' | 'missing'>;

interface FeatureView {
  readonly feature: FeatureKey;
  readonly value: number | null;
  readonly unit: string;
  readonly window: ReadingWindow;
  readonly window_seconds: number | null;
  readonly source_family: SourceFamily | null;
  readonly state: FeatureState;
  readonly reason: Unobserved | null;
  readonly meaning: string;
}

function stateOf(packet: Packet, feature: FeatureKey): FeatureState {
  if (packet.driver_strengths[feature] === null) return 'missing';
  if (packet.source_resolution.not_available.includes(feature)) return 'nothing_to_measure';
  const unmeasured = feature === 'lineage_price_move_bps_abs' && packet.state_decision_trace.imbalances.price_move_bps === null;
  return unmeasured ? 'not_measurable_yet' : 'observed';
}

function reasonOf(packet: Packet, state: FeatureState, family: SourceFamily | null): Unobserved | null {
  if (state === 'observed') return null;
  if (state !== 'missing') return state;
  const source = family === null ? undefined : packet.source_status[family];
  // The family is present but the value is not: the venue sent the event without it.
  return source === undefined || source.status !== 'missing' ? 'never_sent' : source.reason;
}

/** Feature of a packet: value, measurement, and the reason if it is not an observation. */
export function featureView(packet: Packet, feature: FeatureKey, definitions: Definitions): FeatureView {
  const { unit, window, windowSeconds, meaning } = definitions.features[feature];
  const family = (definitions.familyOf.get(feature) ?? null) as SourceFamily | null;
  const state = stateOf(packet, feature);
  return {
    feature,
    value: packet.driver_strengths[feature],
    unit,
    window,
    window_seconds: windowSeconds,
    source_family: family,
    state,
    reason: reasonOf(packet, state, family),
    meaning,
  };
}

export function featureViews(packet: Packet, definitions: Definitions): FeatureView[] {
  return FEATURE_KEYS.map((feature) => featureView(packet, feature, definitions));
}
