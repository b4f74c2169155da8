import type { Policy } from './how-queries';

/** Thresholds of a composite in the policy, before a symbol's own packets set them. */
export interface PolicyThresholds {
  readonly watch: number;
  readonly elevated: number;
  /** Whether a symbol's own packets move them. */
  readonly calibrated: boolean;
}

/** Thresholds by composite, as the policy's file of numbers has them; none where it has another form than this page knows. */
export function thresholdsOf({ files }: Pick<Policy, 'files'>): ReadonlyMap<string, PolicyThresholds> {
  const { thresholds = {} } = (files['numbers'] ?? {}) as { thresholds?: Record<string, unknown> };
  return new Map(Object.entries(thresholds).flatMap(([name, each]) => (isThresholds(each) ? [[name, each] as const] : [])));
}

function isThresholds(value: unknown): value is PolicyThresholds {
  const { watch, elevated, calibrated } = (value ?? {}) as Partial<PolicyThresholds>;
  return typeof watch === 'number' && typeof elevated === 'number' && typeof calibrated === 'boolean';
}
