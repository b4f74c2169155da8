import { COMPOSITES, type Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';

function inWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Sample size behind the thresholds, and which thresholds are calibrated from it. */
export function calibrationView(
  { calibration_context: calibration, calibration_version }: Packet,
  { composites, numbers, label }: Definitions,
) {
  const own = COMPOSITES.filter((name) => composites[name].calibrated);
  const { sample_event_total, samples_required, live_during_calibration } = calibration;
  return {
    ...calibration,
    calibration_version,
    sample_packets_max: numbers.windows.session_packets,
    own_quantile_composites: live_during_calibration ? [] : own,
    policy_default_composites: live_during_calibration ? [...COMPOSITES] : COMPOSITES.filter((name) => !own.includes(name)),
    sentence: live_during_calibration
      ? `Thresholds are policy defaults: ${sample_event_total} of the ${samples_required} session packets needed so far.`
      : `Thresholds of ${inWords(own.map((name) => label('drivers', name)))} are quantiles over ${sample_event_total} session packets of ` +
        `this symbol; the others are policy defaults.`,
  };
}
