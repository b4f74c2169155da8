import type { CompositeName } from '../names';
import type { Report } from './files';
import type { PolicyNumbers, ThresholdNumbers } from './numbers';

/** Windows contain whole packet intervals, minimums fit into their windows, and no lookback exceeds what is stored. */
function checkWindows(numbers: PolicyNumbers, report: Report): void {
  const { windows, minimums, calibration, confidence, session_state: sessionState, lanes } = numbers;
  checkMultiples(numbers, report);
  const atMost = (place: string, value: number, bound: number, boundName: string) => {
    if (value > bound) report(place, `(${value}) is above ${boundName} (${bound})`);
  };
  atMost('/minimums/trade_sizes', minimums.trade_sizes, windows.trade_size_total, 'windows.trade_size_total');
  atMost('/minimums/session_medians', minimums.session_medians, windows.session_packets, 'windows.session_packets');
  atMost('/minimums/returns', minimums.returns, windows.short_return_total, 'windows.short_return_total');
  atMost(
    '/minimums/crowding_share_packets',
    minimums.crowding_share_packets,
    windows.crowding_mean_packets,
    'windows.crowding_mean_packets',
  );
  atMost('/calibration/sample_minimum', calibration.sample_minimum, windows.session_packets, 'windows.session_packets');
  atMost('/confidence/sample_full', confidence.sample_full, windows.session_packets, 'windows.session_packets');
  atMost('/windows/short_return_total', windows.short_return_total, windows.session_return_total, 'windows.session_return_total');
  atMost('/windows/trade_ms', windows.trade_ms, windows.notional_ms, 'windows.notional_ms, the retention of trades');
  atMost('/windows/state_ms', windows.state_ms, windows.notional_ms, 'windows.notional_ms, the retention of trades');
  atMost('/windows/packet_interval_ms', windows.packet_interval_ms, windows.state_ms, 'windows.state_ms');
  atMost('/windows/book_ms', windows.book_ms, windows.state_ms, 'windows.state_ms, the retention of books');
  atMost('/minimums/held_ms', minimums.held_ms, windows.state_ms, 'windows.state_ms');
  atMost('/session_state/minimum_packets', sessionState.minimum_packets, sessionState.packets, 'session_state.packets');
  const history = Math.max(windows.session_packets, lanes.session_packets);
  for (const name of ['price_move_packets', 'vote_packets', 'crowding_mean_packets', 'trailing_packets'] as const) {
    atMost(`/windows/${name}`, windows[name], history, 'the packets stored');
  }
  atMost('/lanes/short_window_packets', lanes.short_window_packets, history, 'the packets stored');
  atMost('/session_state/packets', sessionState.packets, history, 'the packets stored');
  atMost('/lanes/event_packets', lanes.event_packets, history, 'the packets stored');
  atMost('/lanes/session_full_packets', lanes.session_full_packets, lanes.session_packets, 'lanes.session_packets');
  const historyPackets = (lanes.history_blocks * lanes.history_every_ms) / windows.packet_interval_ms;
  atMost('/lanes/history_full_packets', lanes.history_full_packets, historyPackets, 'the packets of all history blocks');
}

function checkMultiples({ windows, calibration, lanes }: PolicyNumbers, report: Report): void {
  const { packet_interval_ms: intervalMs } = windows;
  const lengths = { windows, lanes, calibration: { refresh_ms: calibration.refresh_ms } };
  for (const [section, values] of Object.entries(lengths)) {
    for (const [name, value] of Object.entries(values)) {
      if (!name.endsWith('_ms') || value % intervalMs === 0) continue;
      report(`/${section}/${name}`, `(${value}) is not a multiple of windows.packet_interval_ms (${intervalMs})`);
    }
  }
}

/** Tolerance of a weight sum: decimal weights are added as doubles. */
const SUM_TOLERANCE = 1e-9;

/** Constraints that a schema cannot express, such as watch below elevated. */
export function checkNumbers(numbers: PolicyNumbers, report: Report): void {
  for (const [name, pair] of Object.entries(numbers.thresholds)) {
    above('/thresholds', `${name}/elevated`, pair.elevated, `${name}/watch`, pair.watch, report);
  }
  checkCalibration(numbers, report);
  const { quality, confidence } = numbers;
  checkCandidates(numbers, report);
  checkSeverity(numbers, report);
  checkRanges(numbers, report);
  above('/quality', 'strong_from', quality.strong_from, 'usable_from', quality.usable_from, report);
  above('/confidence', 'high_from', confidence.high_from, 'medium_from', confidence.medium_from, report);
  if (confidence.fresh_full_ms >= numbers.staleness.book_ms) {
    report(
      '/confidence/fresh_full_ms',
      `(${confidence.fresh_full_ms}) is not below the book's staleness limit (${numbers.staleness.book_ms})`,
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
      report(`/thresholds/${name}/calibrated`, 'must be false: the session stores no samples of it');
    if (elevated > calibration.threshold_maximum)
      report(`/thresholds/${name}/elevated`, `(${elevated}) is above calibration.threshold_maximum (${calibration.threshold_maximum})`);
  }
}

function checkCandidates({ candidates }: PolicyNumbers, report: Report): void {
  above('/candidates', 'floor_score', candidates.floor_score, 'closed_score', candidates.closed_score, report);
  above('/candidates', 'open_score', candidates.open_score, 'floor_score', candidates.floor_score, report);
}

function checkSeverity({ severity }: PolicyNumbers, report: Report): void {
  above('/severity', 'high_from', severity.high_from, 'elevated_from', severity.elevated_from, report);
  above('/severity', 'critical_from', severity.critical_from, 'high_from', severity.high_from, report);
}

function checkRanges({ ranges }: PolicyNumbers, report: Report): void {
  above('/ranges', 'middle_packets', ranges.middle_packets, 'fast_packets', ranges.fast_packets, report);
  above('/ranges', 'slow_packets', ranges.slow_packets, 'middle_packets', ranges.middle_packets, report);
  above('/ranges', 'level_packets', ranges.level_packets, 'slow_packets', ranges.slow_packets, report);
}

function checkWeights({ composites, features, confidence, severity, candidates }: PolicyNumbers, report: Report): void {
  sumsToOne('/features', ['fragility_weight_thin', 'fragility_weight_churn', 'fragility_weight_wide'], features, report);
  sumsToOne('/composites', ['crowding_weight_funding', 'crowding_weight_open_interest'], composites, report);
  sumsToOne('/confidence', ['base', 'margin_weight', 'sample_weight', 'fresh_weight', 'evidence_weight'], confidence, report);
  sumsToOne('/confidence', ['evidence_book_weight', 'evidence_trade_weight'], confidence, report);
  sumsToOne('/severity', ['movement_weight', 'thin_weight'], severity, report);
  sumsToOne('/severity', ['newest_weight', 'fast_weight', 'middle_weight', 'slow_weight'], severity, report);
  sumsToAtMostOne('/candidates', ['pressure_weight', 'flow_weight'], candidates, report);
}

/** Reported at the larger number: `elevated (0.3) is not above watch (0.35)`. */
function above(section: string, upperName: string, upper: number, lowerName: string, lower: number, report: Report): void {
  if (upper <= lower)
    report(`${section}/${upperName}`, `(${upper}) is not above ${lowerName.slice(lowerName.lastIndexOf('/') + 1)} (${lower})`);
}

function sumsToOne<K extends string>(section: string, names: readonly K[], weights: Readonly<Record<K, number>>, report: Report): void {
  if (Math.abs(sumOf(names, weights) - 1) > SUM_TOLERANCE) report(firstOf(section, names), `${listed(names, weights)} do not sum to 1`);
}

function sumsToAtMostOne<K extends string>(
  section: string,
  names: readonly K[],
  weights: Readonly<Record<K, number>>,
  report: Report,
): void {
  if (sumOf(names, weights) > 1 + SUM_TOLERANCE) report(firstOf(section, names), `${listed(names, weights)} sum to more than 1`);
}

function sumOf<K extends string>(names: readonly K[], weights: Readonly<Record<K, number>>): number {
  return names.reduce((total, name) => total + weights[name], 0);
}

function firstOf(section: string, names: readonly string[]): string {
  return `${section}/${names[0]}`;
}

function listed<K extends string>(names: readonly K[], weights: Readonly<Record<K, number>>): string {
  const [first, ...others] = names;
  return `(${first === undefined ? '' : weights[first]}) and ${others.map((name) => `${name} (${weights[name]})`).join(', ')}`;
}
