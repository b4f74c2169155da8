import { FEATURE_KEYS, type FeatureKey, type Packet, type SourceFamily } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import type { ReadingWindow } from '../definitions/measure';

/**
 * `observed`; `missing`: its source family is, and the value is null; `nothing_to_measure`: a ratio over nothing, which counts as 0;
 * `not_measurable_yet`: packets before this one cannot be compared with it, which counts as 0.
 */
type FeatureState = 'observed' | 'missing' | 'nothing_to_measure' | 'not_measurable_yet';

type Missing = Extract<Packet['source_status'][SourceFamily], { readonly status: 'missing' }>['reason'];

/** Why a value is not an observation. */
type Unobserved = Missing | 'never_sent' | Exclude<FeatureState, 'observed' | 'missing'>;

interface FeatureView {
  readonly feature: FeatureKey;
  readonly value: number | null;
  readonly unit: string;
  readonly window: ReadingWindow;
  readonly window_seconds: number | null;
  readonly source_family: SourceFamily | null;
  readonly state: FeatureState;
  /** Why the value is not an observation; null where it is. */
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
  // A family that is there and a value that is not: the venue sent the event without it.
  return source === undefined || source.status !== 'missing' ? 'never_sent' : source.reason;
}

/** One feature of a packet: its value, how it was measured, and why it is not an observation. */
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

/** Every feature of a packet, in the order of the packet's page. */
export function featureViews(packet: Packet, definitions: Definitions): FeatureView[] {
  return FEATURE_KEYS.map((feature) => featureView(packet, feature, definitions));
}
