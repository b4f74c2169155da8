import { defaultSeverityBounds, severityBounds } from '../classify/severity-bounds';
import { sessionScores } from '../label/assess';
import type { PacketMemory } from '../label/memory';
import { mapComposites } from '../label/read-composites';
import { sessionSeverities } from '../label/read-market';
import type { PolicyNumbers } from '../policy/numbers';
import type { Policy } from '../policy/policy';
import type { SeverityBounds } from '../read';
import type { LabelerState } from '../reducer/labeler-state';
import { restoreStateUnder } from '../state/restore-state';
import { calibrate, defaultCalibration, type Calibration } from '../thresholds/calibration';

/**
 * A stored state of the published policy, to go on from under an edited one. The log's windows, the session's samples, the published state
 * with its dwell, what was held, lanes and novelty stay what the published policy made of them; a window that was made longer holds what
 * the stored one did. Thresholds and severity bounds whose numbers were edited are set anew: the policy's own, or, where they are
 * calibrated, quantiles of the session's samples. With the published numbers it is the stored state itself.
 * @throws StateRestoreError when the bytes are no state that was made under the published policy
 */
export function takeOver(bytes: Uint8Array, published: Policy, edited: Policy): LabelerState {
  const state = restoreStateUnder(bytes, published, edited);
  const { memory } = state;
  memory.calibration = calibrationUnder(memory, published.numbers, edited.numbers);
  memory.severityBounds = severityBoundsUnder(memory, published.numbers, edited.numbers);
  return state;
}

/** Numbers of `calibration` and `severity` that the thresholds and bounds in force follow from. */
const CALIBRATION_INPUTS = [
  'sample_minimum',
  'watch_quantile',
  'elevated_quantile',
  'clamp_low',
  'clamp_high',
  'threshold_maximum',
  'elevated_gap',
] as const;
const SEVERITY_INPUTS = [
  'elevated_from',
  'high_from',
  'critical_from',
  'sample_minimum',
  'elevated_quantile',
  'high_quantile',
  'critical_quantile',
  'clamp_low',
  'clamp_high',
  'bound_gap',
] as const;

/** Thresholds of composites whose numbers were not edited stay in force as they are. */
function calibrationUnder(memory: PacketMemory, published: PolicyNumbers, edited: PolicyNumbers): Calibration {
  const { calibration } = memory;
  const all = differs(published.calibration, edited.calibration, CALIBRATION_INPUTS);
  const isEdited = mapComposites(
    (name) => all || differs(published.thresholds[name], edited.thresholds[name], ['watch', 'elevated', 'calibrated']),
  );
  if (!Object.values(isEdited).includes(true)) return calibration;
  const samples = memory.session.length;
  const fresh = calibrate(defaultCalibration(edited, samples), samples, () => sessionScores(memory), newestMs(memory), edited);
  return {
    pairs: mapComposites((name) => (isEdited[name] ? fresh : calibration).pairs[name]),
    source: fresh.source,
    sampleTotal: calibration.sampleTotal,
  };
}

function severityBoundsUnder(memory: PacketMemory, published: PolicyNumbers, edited: PolicyNumbers): SeverityBounds {
  if (!differs(published.severity, edited.severity, SEVERITY_INPUTS)) return memory.severityBounds;
  return severityBounds(defaultSeverityBounds(edited), () => sessionSeverities(memory), newestMs(memory), edited);
}

function differs<K extends string>(one: Readonly<Record<K, unknown>>, other: Readonly<Record<K, unknown>>, names: readonly K[]): boolean {
  return names.some((name) => one[name] !== other[name]);
}

function newestMs(memory: PacketMemory): number {
  return memory.history.newest()?.windowEndMs ?? 0;
}
