import type { Report } from './fault';
import type { PolicyNumbers } from './numbers';

/** Pairs that no schema can hold against each other: a watch threshold lies under its elevated one, weights sum to 1. */
export function checkNumbers(numbers: PolicyNumbers, report: Report): void {
  for (const [name, pair] of Object.entries(numbers.thresholds)) {
    if (pair.watch >= pair.elevated) report(`/thresholds/${name}`, `watch ${pair.watch} is not under elevated ${pair.elevated}`);
  }
  const { calibration, composites, features, severity, quality, confidence } = numbers;
  if (calibration.watch_quantile >= calibration.elevated_quantile) report('/calibration', 'watch_quantile is not under elevated_quantile');
  if (calibration.clamp_low >= calibration.clamp_high) report('/calibration', 'clamp_low is not under clamp_high');
  checkSum('/features', [features.fragility_weight_thin, features.fragility_weight_churn, features.fragility_weight_wide], report);
  checkSum('/composites', [composites.pressure_weight_top5, composites.pressure_weight_top1, composites.pressure_weight_mean], report);
  checkSum('/composites', [composites.crowding_weight_funding, composites.crowding_weight_open_interest], report);
  checkSum('/confidence', [confidence.base, confidence.margin_weight, confidence.sample_weight, confidence.fresh_weight], report);
  checkRising('/severity', [severity.elevated_from, severity.high_from, severity.critical_from], report);
  checkRising('/quality', [quality.usable_from, quality.strong_from], report);
  checkRising('/confidence', [confidence.medium_from, confidence.high_from], report);
}

function checkSum(path: string, weights: readonly number[], report: Report): void {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 1) > 1e-9) report(path, `the weights ${weights.join(', ')} do not sum to 1`);
}

function checkRising(path: string, values: readonly number[], report: Report): void {
  if (values.some((value, i) => i > 0 && value <= (values[i - 1] ?? 0))) report(path, `${values.join(', ')} do not rise`);
}
