import type { CompositeName } from '../read';
import { checkWindows } from './check-windows';
import type { Report } from './fault';
import type { PolicyNumbers, ThresholdNumbers } from './numbers';

/** How far a sum of weights may lie from 1: they are written in decimals and added as doubles. */
const SUM_TOLERANCE = 1e-9;

/** Pairs and sums that no schema can hold against each other: a watch threshold lies under its elevated one, weights sum to 1. */
export function checkNumbers(numbers: PolicyNumbers, report: Report): void {
  for (const [name, pair] of Object.entries(numbers.thresholds)) {
    above('/thresholds', `${name}/elevated`, pair.elevated, `${name}/watch`, pair.watch, report);
  }
  checkCalibration(numbers, report);
  const { quality, confidence } = numbers;
  checkCandidates(numbers, report);
  checkSeverity(numbers, report);
  above('/quality', 'strong_from', quality.strong_from, 'usable_from', quality.usable_from, report);
  above('/confidence', 'high_from', confidence.high_from, 'medium_from', confidence.medium_from, report);
  if (confidence.fresh_full_ms >= numbers.staleness.book_ms) {
    report(
      '/confidence/fresh_full_ms',
      `(${confidence.fresh_full_ms}) is not under the book's staleness limit (${numbers.staleness.book_ms})`,
    );
  }
  checkWeights(numbers, report);
  checkWindows(numbers, report);
}

function checkCalibration({ calibration, thresholds }: PolicyNumbers, report: Report): void {
  above('/calibration', 'elevated_quantile', calibration.elevated_quantile, 'watch_quantile', calibration.watch_quantile, report);
  above('/calibration', 'clamp_high', calibration.clamp_high, 'clamp_low', calibration.clamp_low, report);
  const calibrated = (Object.entries(thresholds) as [CompositeName, ThresholdNumbers][]).filter(([, pair]) => pair.calibrated);
  for (const [name, { elevated }] of calibrated) {
    if (name !== 'pressure' && name !== 'flow' && name !== 'fragility')
      report(`/thresholds/${name}/calibrated`, 'must be false: the session keeps no samples of it');
    if (elevated > calibration.threshold_maximum)
      report(`/thresholds/${name}/elevated`, `(${elevated}) is above calibration.threshold_maximum (${calibration.threshold_maximum})`);
  }
}

/** The floor lies between what is open and what is not. */
function checkCandidates({ candidates }: PolicyNumbers, report: Report): void {
  above('/candidates', 'floor_score', candidates.floor_score, 'closed_score', candidates.closed_score, report);
  above('/candidates', 'open_score', candidates.open_score, 'floor_score', candidates.floor_score, report);
}

function checkSeverity({ severity }: PolicyNumbers, report: Report): void {
  above('/severity', 'high_from', severity.high_from, 'elevated_from', severity.elevated_from, report);
  above('/severity', 'critical_from', severity.critical_from, 'high_from', severity.high_from, report);
  above('/severity', 'high_quantile', severity.high_quantile, 'elevated_quantile', severity.elevated_quantile, report);
  above('/severity', 'critical_quantile', severity.critical_quantile, 'high_quantile', severity.high_quantile, report);
  above('/severity', 'clamp_high', severity.clamp_high, 'clamp_low', severity.clamp_low, report);
}

/** Where a score is a weighted mean its weights sum to 1; the two parts of `pressure_building` to at most 1. */
function checkWeights({ composites, features, confidence, severity, candidates }: PolicyNumbers, report: Report): void {
  sumsToOne('/features', ['fragility_weight_thin', 'fragility_weight_churn', 'fragility_weight_wide'], features, report);
  sumsToOne('/composites', ['crowding_weight_funding', 'crowding_weight_open_interest'], composites, report);
  sumsToOne('/confidence', ['base', 'margin_weight', 'sample_weight', 'fresh_weight', 'evidence_weight'], confidence, report);
  sumsToOne('/confidence', ['evidence_book_weight', 'evidence_trade_weight'], confidence, report);
  sumsToOne('/severity', ['movement_weight', 'strongest_weight'], severity, report);
  sumsToAtMostOne('/candidates', ['pressure_weight', 'flow_weight'], candidates, report);
}

/** The sentence stands at the larger: `elevated (0.3) is not above watch (0.35)`. */
function above(section: string, upperName: string, upper: number, lowerName: string, lower: number, report: Report): void {
  if (upper <= lower)
    report(`${section}/${upperName}`, `(${upper}) is not above ${lowerName.slice(lowerName.lastIndexOf('/') + 1)} (${lower})`);
}

function sumsToOne<K extends string>(section: string, names: readonly K[], weights: Readonly<Record<K, number>>, report: Report): void {
  if (Math.abs(sumOf(names, weights) - 1) > SUM_TOLERANCE) report(firstOf(section, names), `${told(names, weights)} do not sum to 1`);
}

function sumsToAtMostOne<K extends string>(
  section: string,
  names: readonly K[],
  weights: Readonly<Record<K, number>>,
  report: Report,
): void {
  if (sumOf(names, weights) > 1 + SUM_TOLERANCE) report(firstOf(section, names), `${told(names, weights)} sum to more than 1`);
}

function sumOf<K extends string>(names: readonly K[], weights: Readonly<Record<K, number>>): number {
  return names.reduce((total, name) => total + weights[name], 0);
}

function firstOf(section: string, names: readonly string[]): string {
  return `${section}/${names[0]}`;
}

function told<K extends string>(names: readonly K[], weights: Readonly<Record<K, number>>): string {
  const [first, ...others] = names;
  return `(${first === undefined ? '' : weights[first]}) and ${others.map((name) => `${name} (${weights[name]})`).join(', ')}`;
}
