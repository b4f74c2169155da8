import { COMPOSITES, type CompositeName, FEATURE_KEYS, type FeatureKey, round6 } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import type { LoggedBrief } from '../logged-packet';
import type { Stages } from './stages';

type Read = (logged: LoggedBrief) => number | null;

/** Mean over the packets in which the number could be read, and how many those were; a mean over none is null. */
function meanOf(packets: readonly LoggedBrief[], read: Read) {
  const values = packets.map(read).filter((value) => value !== null);
  return {
    mean: values.length === 0 ? null : round6(values.reduce((sum, value) => sum + value, 0) / values.length),
    packet_total: values.length,
  };
}

function difference(later: number | null, earlier: number | null): number | null {
  return later === null || earlier === null ? null : round6(later - earlier);
}

function comparison({ before, after }: Stages, event: LoggedBrief, read: Read) {
  const [earlier, later] = [meanOf(before, read), meanOf(after, read)];
  return {
    before_mean: earlier.mean,
    before_packet_total: earlier.packet_total,
    at_event: read(event),
    after_mean: later.mean,
    after_packet_total: later.packet_total,
    change_before_to_after: difference(later.mean, earlier.mean),
  };
}

/** The value of a feature, or null if it was not an observation. */
function observed({ packet }: LoggedBrief, feature: FeatureKey): number | null {
  if (packet.source_resolution.not_available.includes(feature)) return null;
  if (feature === 'lineage_price_move_bps_abs' && packet.state_decision_trace.imbalances.price_move_bps === null) return null;
  return packet.driver_strengths[feature];
}

/**
 * Each feature and each score: its mean before, its value at the event, its mean after. A mean leaves out values that are not
 * observations.
 */
export function whatChanged(stages: Stages, event: LoggedBrief, { features, label }: Definitions) {
  const score =
    (name: CompositeName): Read =>
    ({ packet }) =>
      packet.state_decision_trace.composites[name].score;
  return {
    features: FEATURE_KEYS.map((feature) => ({
      feature,
      unit: features[feature].unit,
      ...comparison(stages, event, (logged) => observed(logged, feature)),
    })),
    scores: COMPOSITES.map((name) => ({ composite: name, label: label('drivers', name), ...comparison(stages, event, score(name)) })),
    severity: comparison(stages, event, ({ packet }) => packet.event_severity.score),
    confidence: comparison(stages, event, ({ packet }) => packet.confidence.score),
  };
}
