import { editedTexts, faultsOf, lineOf, frozenTexts } from '../../tests/policy-texts';
import { without } from '../../tests/without';
import { PolicyError } from './files';
import { parsePolicy, readJsonText } from './parse-policy';

/** Edits: file, text, replacement, expected sentence; `at` gives the line if it is not that of the edit. */
type Case = readonly [name: string, file: string, from: string, to: string, message: string, at?: string];

const FIRST_TAG = '{ "fact": "pressure_level", "eq": "elevated" }, { "fact": "pressure_side", "eq": "bid" }';

/** A test of each case. */
function refuses(cases: readonly Case[]): void {
  for (const [name, file, from, to, message, at] of cases) test(name, () => expectFault(file, from, to, message, at));
}

function expectFault(file: string, from: string, to: string, message: string, at = to): void {
  const texts = editedTexts({ file, from, to });
  const line = lineOf(texts[`${file}.json`] ?? '', at);
  const path = message.slice(0, message.indexOf(' '));
  const found = faultsOf(texts).map((fault) => `${fault.file}:${fault.line} ${fault.path} | ${fault.message}`);
  expect(found).toContain(`${file}.json:${line} ${path} | ${message}`);
}

describe('a policy file is refused with its file and line', () => {
  test('as a threshold pair that is the wrong way round shows', () => {
    // numbers.json: "thresholds" opens line 56, "pressure" stands on 57.
    const texts = editedTexts({ file: 'numbers', from: '"elevated": 0.3', to: '"elevated": 0.1' });
    expect(faultsOf(texts)).toEqual([
      {
        file: 'numbers.json',
        line: 65,
        path: 'thresholds.pressure.elevated',
        message: 'thresholds.pressure.elevated (0.1) is not above watch (0.16)',
      },
    ]);
    expect(() => parsePolicy(texts)).toThrow('numbers.json:65: thresholds.pressure.elevated (0.1) is not above watch (0.16)');
  });

  // biome-ignore format: a table, one case a line
  refuses([
    ['an unknown key', 'numbers', '"packets": 3,', '"packets": 3, "extra": 1,', 'dwell.extra is not a known key'],
    ['an unknown key at the top', 'versions', '"readiness_version"', '"mood_version": "mood.v1",\n  "readiness_version"', 'mood_version is not a known key'],
    ['a missing key', 'numbers', '"packets": 3,', '', 'dwell lacks "packets"', '"dwell"'],
    ['a wrong type', 'numbers', '"packets": 3,', '"packets": "two",', 'dwell.packets ("two") must be integer'],
    ['a fraction where a count stands', 'numbers', '"packets": 3,', '"packets": 2.5,', 'dwell.packets (2.5) must be integer'],
    ['a null', 'numbers', '"packets": 3,', '"packets": null,', 'dwell.packets (null) must be integer'],
    ['a name that appears twice', 'numbers', '"packets": 3,', '"packets": 3, \n"packets": 4,', 'dwell.packets appears twice', '"packets": 4'],
    ['a version that is none', 'versions', 'source_sample_confidence.v1', 'source_sample_confidence', 'confidence_policy_version ("source_sample_confidence") must match pattern "^[a-z0-9_]+\\.v[0-9]+$"'],
    ['an unknown key of a condition', 'guidance', '"gte": 0.8', '"above": 0.8', 'source_quality_class[0].when.above is not a known key'],
    ['a condition with two operators', 'guidance', '"gte": 0.8', '"gte": 0.8, "lt": 0.9', 'source_quality_class[0].when must NOT have more than 2 properties'],
    ['an unknown key in a tag group', 'tags', '"family": "pressure",', '"family": "pressure", "colour": "red",', 'groups[0].colour is not a known key'],
    ['an unknown kind of word', 'taxonomy', '"states": [', '"moods": [{ "value": "calm", "label": "calm", "meaning": "Calm." }],\n  "states": [', 'moods is not a known key', '"moods"'],
    ['a route name with capitals', 'routes', '"latest":', '"Latest":', 'routes.Latest is not a name of lower-case letters, digits and underscores'],
    ['a route outside the public paths', 'routes', '/api/public/market-state/latest?', '/internal/latest?', 'routes.latest ("/internal/latest?symbol={symbol}") must match pattern "^/api/public/[A-Za-z0-9/{}?=&_-]+$"'],
    ['another claim boundary', 'texts', 'not_signal_not_advice_not_execution_not_performance', 'none', 'claim_boundary ("none") must be "not_signal_not_advice_not_execution_not_performance"'],
    ['a composite that does not exist', 'numbers', '["fragility"]', '["mood"]', 'state_composites.fragile_depth_watch[0] ("mood") is not one of pressure, flow, fragility, crowding, forced_flow, regime'],
    ['a composite twice', 'numbers', '["pressure", "flow"]', '["pressure", "pressure"]', 'state_composites.pressure_building[1] appears twice'],
  ]);

  // biome-ignore format: a table, one case a line
  refuses([
    ['a threshold of 0', 'numbers', '"watch": 0.16', '"watch": 0', 'thresholds.pressure.watch (0) must be > 0'],
    ['a threshold above 1', 'numbers', '"elevated": 0.3', '"elevated": 1.1', 'thresholds.pressure.elevated (1.1) must be <= 1'],
    ['a threshold pair that meets', 'numbers', '"regime": { "watch": 0.2, "elevated": 0.35', '"regime": { "watch": 0.35, "elevated": 0.35', 'thresholds.regime.elevated (0.35) is not above watch (0.35)'],
    ['a calibrated threshold above their maximum', 'numbers', '"elevated": 0.3', '"elevated": 0.96', 'thresholds.pressure.elevated (0.96) is above calibration.threshold_maximum (0.95)'],
    ['a composite without samples that is calibrated', 'numbers', '"elevated": 0.7, "calibrated": false', '"elevated": 0.7, "calibrated": true', 'thresholds.crowding.calibrated must be false: the session stores no samples of it'],
    ['a quantile above 1', 'numbers', '"elevated_quantile": 0.95', '"elevated_quantile": 1.2', 'calibration.elevated_quantile (1.2) must be <= 1'],
    ['a quantile of 0', 'numbers', '"large_trade_quantile": 0.95', '"large_trade_quantile": 0', 'features.large_trade_quantile (0) must be > 0'],
    ['quantiles that do not rise', 'numbers', '"watch_quantile": 0.8', '"watch_quantile": 0.97', 'calibration.elevated_quantile (0.95) is not above watch_quantile (0.97)', '"elevated_quantile"'],
    ['a lower clamp above the upper', 'numbers', '"clamp_high": 1.5', '"clamp_high": 0.4', 'calibration.clamp_high (0.4) is not above clamp_low (0.5)'],
    ['no gap between the calibrated pair', 'numbers', '"elevated_gap": 0.05', '"elevated_gap": 0', 'calibration.elevated_gap (0) must be >= 0.000001'],
    ['a ratio of volatilities that divides by ln 1', 'numbers', '"regime_full_ratio": 4', '"regime_full_ratio": 1', 'composites.regime_full_ratio (1) must be > 1'],
    ['a negative weight', 'numbers', '"crowding_weight_funding": 0.6', '"crowding_weight_funding": -0.6', 'composites.crowding_weight_funding (-0.6) must be >= 0'],
    ['a composite that never leaves', 'numbers', '"leave_ratio": 0.5', '"leave_ratio": 0', 'calibration.leave_ratio (0) must be > 0'],
    ['a composite that leaves above watch', 'numbers', '"leave_ratio": 0.5', '"leave_ratio": 1.1', 'calibration.leave_ratio (1.1) must be <= 1'],
    ['what is not open over the floor', 'numbers', '"closed_score": 0.34', '"closed_score": 0.35', 'candidates.floor_score (0.35) is not above closed_score (0.35)', '"floor_score"'],
    ['what is open under the floor', 'numbers', '"open_score": 0.36', '"open_score": 0.3', 'candidates.open_score (0.3) is not above floor_score (0.35)'],
    ['fragility weights that do not sum to 1', 'numbers', '"fragility_weight_thin": 0.4', '"fragility_weight_thin": 0.5', 'features.fragility_weight_thin (0.5) and fragility_weight_churn (0.35), fragility_weight_wide (0.25) do not sum to 1'],
    ['crowding weights that do not sum to 1', 'numbers', '"crowding_weight_funding": 0.6', '"crowding_weight_funding": 0.7', 'composites.crowding_weight_funding (0.7) and crowding_weight_open_interest (0.4) do not sum to 1'],
    ['confidence weights that do not sum to 1', 'numbers', '"base": 0.3', '"base": 0.4', 'confidence.base (0.4) and margin_weight (0.2), sample_weight (0.2), fresh_weight (0.1), evidence_weight (0.2) do not sum to 1'],
    ['evidence weights that do not sum to 1', 'numbers', '"evidence_book_weight": 0.5', '"evidence_book_weight": 0.6', 'confidence.evidence_book_weight (0.6) and evidence_trade_weight (0.5) do not sum to 1'],
    ['severity weights that do not sum to 1', 'numbers', '"movement_weight": 0.8', '"movement_weight": 0.7', 'severity.movement_weight (0.7) and thin_weight (0.2) do not sum to 1'],
    ['range weights that do not sum to 1', 'numbers', '"newest_weight": 0.1', '"newest_weight": 0.2', 'severity.newest_weight (0.2) and fast_weight (0.3), middle_weight (0.3), slow_weight (0.3) do not sum to 1'],
    ['range means that do not lengthen', 'numbers', '"middle_packets": 30', '"middle_packets": 6', 'ranges.middle_packets (6) is not above fast_packets (6)'],
    ['a candidate that could score above 1', 'numbers', '"pressure_weight": 0.45', '"pressure_weight": 0.8', 'candidates.pressure_weight (0.8) and flow_weight (0.3) sum to more than 1'],
    ['severity bands out of order', 'numbers', '"high_from": 0.5,\n    "critical', '"high_from": 0.9,\n    "critical', 'severity.critical_from (0.55) is not above high_from (0.9)', '"critical_from"'],
    ['the lower severity bands out of order', 'numbers', '"elevated_from": 0.4', '"elevated_from": 0.5', 'severity.high_from (0.5) is not above elevated_from (0.5)', '"high_from"'],
    ['confidence bands out of order', 'numbers', '"medium_from": 0.4', '"medium_from": 0.8', 'confidence.high_from (0.7) is not above medium_from (0.8)', '"high_from": 0.7\n'],
    ['quality bands out of order', 'numbers', '"usable_from": 60', '"usable_from": 90', 'quality.strong_from (85) is not above usable_from (90)', '"strong_from"'],
    ['a quality band above 100', 'numbers', '"strong_from": 85', '"strong_from": 101', 'quality.strong_from (101) must be <= 100'],
    ['a book that is fully fresh up to its limit', 'numbers', '"fresh_full_ms": 1000', '"fresh_full_ms": 5000', "confidence.fresh_full_ms (5000) is not below the book's staleness limit (5000)"],
  ]);

  // biome-ignore format: a table, one case a line
  refuses([
    ['a window of packets and a half', 'numbers', '"book_ms": 60000', '"book_ms": 65000', 'windows.book_ms (65000) is not a multiple of windows.packet_interval_ms (10000)'],
    ['a refresh between packets', 'numbers', '"refresh_ms": 300000', '"refresh_ms": 305000', 'calibration.refresh_ms (305000) is not a multiple of windows.packet_interval_ms (10000)'],
    ['a lane between packets', 'numbers', '"session_every_ms": 60000', '"session_every_ms": 61000', 'lanes.session_every_ms (61000) is not a multiple of windows.packet_interval_ms (10000)'],
    ['more trade sizes than are kept', 'numbers', '"trade_sizes": 200', '"trade_sizes": 2001', 'minimums.trade_sizes (2001) is above windows.trade_size_total (2000)'],
    ['more medians than the session', 'numbers', '"session_medians": 30', '"session_medians": 2161', 'minimums.session_medians (2161) is above windows.session_packets (2160)'],
    ['more returns than the short window', 'numbers', '"returns": 30', '"returns": 31', 'minimums.returns (31) is above windows.short_return_total (30)'],
    ['a share over more packets than are counted', 'numbers', '"crowding_share_packets": 60', '"crowding_share_packets": 61', 'minimums.crowding_share_packets (61) is above windows.crowding_mean_packets (60)'],
    ['more samples than the session', 'numbers', '"sample_minimum": 180', '"sample_minimum": 2161', 'calibration.sample_minimum (2161) is above windows.session_packets (2160)'],
    ['a full sample that is never reached', 'numbers', '"sample_full": 180', '"sample_full": 2161', 'confidence.sample_full (2161) is above windows.session_packets (2160)'],
    ['a short volatility longer than the session', 'numbers', '"session_return_total": 2160', '"session_return_total": 29', 'windows.short_return_total (30) is above windows.session_return_total (29)', '"short_return_total"'],
    ['a trade window longer than trades are kept', 'numbers', '"trade_ms": 60000,\n    "state', '"trade_ms": 310000,\n    "state', 'windows.trade_ms (310000) is above windows.notional_ms, the retention of trades (300000)'],
    ['a window of the state longer than trades are kept', 'numbers', '"state_ms": 180000', '"state_ms": 310000', 'windows.state_ms (310000) is above windows.notional_ms, the retention of trades (300000)'],
    ['a book window longer than books are kept', 'numbers', '"book_ms": 60000', '"book_ms": 190000', 'windows.book_ms (190000) is above windows.state_ms, the retention of books (180000)'],
    ['more held time than the window has', 'numbers', '"held_ms": 60000', '"held_ms": 190000', 'minimums.held_ms (190000) is above windows.state_ms (180000)'],
    ['a session state that is never set', 'numbers', '"minimum_packets": 30', '"minimum_packets": 91', 'session_state.minimum_packets (91) is above session_state.packets (90)'],
    ['a session state over more packets than are remembered', 'numbers', '"packets": 90', '"packets": 2161', 'session_state.packets (2161) is above the packets stored (2160)'],
    ['a mean over more packets than are remembered', 'numbers', '"crowding_mean_packets": 60', '"crowding_mean_packets": 2161', 'windows.crowding_mean_packets (2161) is above the packets stored (2160)'],
    ['a lane over more packets than are remembered', 'numbers', '"event_packets": 6', '"event_packets": 2161', 'lanes.event_packets (2161) is above the packets stored (2160)'],
    ['a session lane that never fills', 'numbers', '"session_full_packets": 180', '"session_full_packets": 2161', 'lanes.session_full_packets (2161) is above lanes.session_packets (2160)'],
    // 288 blocks × 300 s / 10 s
    ['a history that never fills', 'numbers', '"history_full_packets": 360', '"history_full_packets": 8641', 'lanes.history_full_packets (8641) is above the packets of all history blocks (8640)'],
  ]);

  // biome-ignore format: a table, one case a line
  refuses([
    ['a condition over an unknown fact', 'tags', FIRST_TAG, '{ "fact": "mood", "eq": "good" }', 'groups[0].values[0].when.all[0].fact ("mood") is not a fact that may be read here'],
    ['a tag that reads novelty', 'tags', FIRST_TAG, '{ "fact": "novelty_score", "gte": 0.5 }', 'groups[0].values[0].when.all[0].fact ("novelty_score") is not a fact that may be read here'],
    ['a comparison with an unknown fact', 'guidance', '"gte": 0.8', '"gte": { "fact": "mood" }', 'source_quality_class[0].when.gte.fact ("mood") is not a fact that may be read here'],
    ['a number compared with a word fact', 'guidance', '"gte": 0.8', '"gte": { "fact": "winner" }', 'source_quality_class[0].when.gte.fact ("winner") is a word, "source_support_ratio" a number'],
    ['an order asked of a word', 'tags', FIRST_TAG, '{ "fact": "pressure_side", "gte": 1 }', 'groups[0].values[0].when.all[0].gte cannot be applied to "pressure_side", a word'],
    ['a list asked of a number', 'guidance', '"gte": 0.8', '"has": "book_gap"', 'source_quality_class[0].when.has cannot be applied to "source_support_ratio", a number'],
    ['a word compared with a number', 'tags', FIRST_TAG, '{ "fact": "pressure_side", "eq": 1 }', 'groups[0].values[0].when.all[0].eq (1) is compared with "pressure_side", a word'],
    ['a number compared with a word', 'tags', FIRST_TAG, '{ "fact": "pressure_score", "eq": "high" }', 'groups[0].values[0].when.all[0].eq ("high") is compared with "pressure_score", a number'],
    ['a word compared with a flag', 'tags', FIRST_TAG, '{ "fact": "pressure_side", "ne": true }', 'groups[0].values[0].when.all[0].ne (true) is compared with "pressure_side", a word'],
    ['a flag compared with a word', 'guidance', '{ "fact": "live_during_calibration", "eq": true }', '{ "fact": "live_during_calibration", "eq": "yes" }', 'missing_routing_inputs[5].when.eq ("yes") is compared with "live_during_calibration", a flag'],
    ['a word that its fact cannot hold', 'tags', FIRST_TAG, '{ "fact": "pressure_side", "eq": "up" }', 'groups[0].values[0].when.all[0].eq ("up") is not a value of "pressure_side"'],
    ['a word that the taxonomy lacks', 'tags', FIRST_TAG, '{ "fact": "winner", "in": ["depth_watch", "moody"] }', 'groups[0].values[0].when.all[0].in ("moody") is not a value of "winner"'],
    ['a flag of no gap', 'guidance', '"has": "trade_gap"', '"has": "mood_gap"', 'route_recommendation[0].when.any[3].has ("mood_gap") is not a value of "gap_flags"'],
    ['a tag family that the taxonomy lacks', 'tags', '"family": "queue"', '"family": "mood"', 'groups[7].family ("mood") is not one of the tag_families'],
    ['a tag horizon that the taxonomy lacks', 'tags', '"horizon": "hot"', '"horizon": "soon"', 'groups[1].horizon ("soon") is not one of the tag_horizons'],
    ['an uncounted family that the taxonomy lacks', 'tags', '"latency_lane", "calibration"', '"mood", "calibration"', 'not_counted[1] ("mood") is not one of the tag_families'],
    ['a tag that two rules make', 'tags', '"value": "ask_elevated"', '"value": "bid_elevated"', 'groups[0].values[1].value makes the tag "pressure:bid_elevated:short" a second time', '"bid_elevated", "when": { "all": [{ "fact": "pressure_level", "eq": "elevated" }, { "fact": "pressure_side", "eq": "ask"'],
    ['a tag of a number', 'tags', '"value_of": "event_class"', '"value_of": "pressure_score"', 'groups[9].value_of ("pressure_score") is not a word of a closed set'],
    ['a tag of an unknown fact', 'tags', '"value_of": "event_class"', '"value_of": "mood"', 'groups[9].value_of ("mood") is not a fact that a tag may read'],
  ]);
});

describe('files that do not fit together are refused with file and line', () => {
  const reason = (field: string) => {
    const text = frozenTexts()['reasons.json'] ?? '';
    const match = new RegExp(`"${field}": (\\[[^\\]]*\\]|"[^"]*")`).exec(text);
    return match?.[0] ?? '';
  };

  // biome-ignore format: a table, one case a line
  refuses([
    ['a reason of an unknown lane', 'reasons', reason('lane'), '"lane": "slow_lane"', 'reasons[0].lane ("slow_lane") is not a lane'],
    ['a reason of an unknown family', 'reasons', reason('family'), '"family": "mood"', 'reasons[0].family ("mood") is not one of the reason_families'],
    ['a reason over an unknown feature', 'reasons', reason('features'), '"features": ["mood"]', 'reasons[0].features[0] ("mood") is not a fact that a reason may read'],
    ['a reason whose evidence opens nowhere', 'reasons', reason('evidence'), '"evidence": ["nowhere"]', 'reasons[0].evidence[0] ("nowhere") is not a route'],
    ['a claim over an unknown fact', 'reasons', reason('claim'), '"claim": "It is {mood}."', 'reasons[0].claim prints an unknown fact, "mood"'],
    ['a number written into a claim', 'reasons', reason('claim'), '"claim": "It is 5."', 'reasons[0].claim contains a digit, but numbers must come from facts'],
    ['a brace that is left open', 'reasons', reason('claim'), '"claim": "It is {winner."', 'reasons[0].claim contains a brace that belongs to no fact'],
    ['a list printed as it is', 'reasons', reason('claim'), '"claim": "It is {gap_flags}."', 'reasons[0].claim prints "gap_flags", a list, without a format'],
    ['a label of a number', 'reasons', reason('claim'), '"claim": "It is {winner_score|label}."', 'reasons[0].claim prints a label of "winner_score", which has none'],
    ['a number as a list', 'reasons', reason('claim'), '"claim": "It is {winner_score|list}."', 'reasons[0].claim prints "winner_score" as a list of terms, which it is not'],
    ['a number in no known format', 'reasons', reason('claim'), '"claim": "It is {winner_score|grand}."', 'reasons[0].claim prints "winner_score" in an unknown format, "grand"'],
    ['a word as a number', 'reasons', reason('claim'), '"claim": "It is {winner|score}."', 'reasons[0].claim prints "winner", a word, as a number'],
    ['a span of no unit', 'reasons', reason('claim'), '"claim": "It is {winner_score|span}."', 'reasons[0].claim prints "winner_score" as a span, but its name ends in no unit of time'],
    ['a number held against a word', 'reasons', reason('claim'), '"claim": "It is {winner_score|score:winner}."', 'reasons[0].claim compares "winner_score" with "winner", which is not a number'],
    ['a share held against another', 'reasons', reason('claim'), '"claim": "It is {winner_score|share:runner_up_score}."', 'reasons[0].claim compares "winner_score" with another number in a format that does not support it'],
    ['a number that no packet holds', 'reasons', reason('claim'), '"claim": "It is {price_move_with_book_bps}."', 'reasons[0].claim prints "price_move_with_book_bps", which is not in the packet'],
    ['a sentence over an unknown fact', 'texts', '{mid_move_bps|bps}', '{mood}', 'what_changed[8].text prints an unknown fact, "mood"'],
    ['a sentence that may be missing', 'texts', '{ "when": { "always": true }, "text": "Check the nearest', '{ "when": { "fact": "margin", "gt": 0 }, "text": "Check the nearest', 'next_check[12].when must be {"always": true}: it is the last rule of a sentence that every packet has'],
    ['an event class of an unknown profile', 'taxonomy', '"binding": "retained_context"', '"binding": "mood"', 'event_classes[0].binding ("mood") is not one of the event_profiles'],
    ['a state of no feature family', 'taxonomy', '"binding": "source_support"', '"binding": "mood"', 'states[0].binding ("mood") is not one of the feature_families'],
    ['a word that appears twice', 'taxonomy', '"value": "replay_context_ready"', '"value": "insufficient_evidence"', 'states[1].value ("insufficient_evidence") appears twice', '"insufficient_evidence", "label": "Retained'],
    ['a taxonomy without a word that packets hold', 'taxonomy', '"value": "depth_watch"', '"value": "depth_stare"', 'states lacks "depth_watch", which packets contain', '"states"'],
    ['a state without composites', 'taxonomy', '"value": "depth_watch"', '"value": "depth_stare"', 'states[5].value ("depth_stare") has no entry in state_composites of numbers.json'],
    ['a state that state_composites leaves out', 'numbers', '    "depth_watch": ["pressure"],\n', '', 'state_composites lacks "depth_watch"', '"state_composites"'],
    ['a class without its word', 'taxonomy', '"value": "contested_context_review"', '"value": "quarrel"', 'diagnosis_classes lacks "contested_context_review", which packets contain', '"diagnosis_classes"'],
    ['a rule for a word that the taxonomy lacks', 'guidance', '"value": "source_partial"', '"value": "source_half"', 'source_quality_class[1].value ("source_half") is not one of the source_quality_classes'],
    ['a field that may get no value', 'guidance', '"value": "source_insufficient", "when": { "always": true }', '"value": "source_insufficient", "when": { "fact": "source_support_ratio", "lt": 0.4 }', 'source_quality_class[2].when must be {"always": true}: it is the last rule of a field that needs a value'],
    ['a blocked use that is not always blocked', 'guidance', '"value": "investment_advice", "when": { "always": true }', '"value": "investment_advice", "when": { "fact": "confidence_label", "eq": "low" }', 'blocked_uses must always contain "investment_advice"', '"blocked_uses"'],
    ['a fact that the labeler does not make', 'facts', '"name": "venue"', '"name": "mood"', 'facts[1].name ("mood") is not a fact that the labeler makes'],
    ['a fact that appears twice', 'facts', '"name": "venue"', '"name": "symbol"', 'facts[1].name ("symbol") appears twice', '"name": "symbol", "type": "word", "stage": "market", "packet_field": "scope.venue"'],
    ['a fact of another type', 'facts', '"name": "spread_bps", "type": "number"', '"name": "spread_bps", "type": "word"', 'facts[3].type ("word") of "spread_bps" is a number'],
    ['a fact that comes earlier than it is known', 'facts', '"name": "novelty_score", "type": "number", "stage": "packet"', '"name": "novelty_score", "type": "number", "stage": "market"', `facts[${indexOfFact('novelty_score')}].stage ("market") of "novelty_score" is packet`],
    ['a fact of an unknown source family', 'facts', '"source_family": "book"', '"source_family": "mood"', 'facts[3].source_family ("mood") is not one of the source_families'],
    ['a fact of an unknown kind of word', 'facts', '"taxonomy": "source_kinds"', '"taxonomy": "moods"', 'facts[2].taxonomy ("moods") is not a kind of the taxonomy'],
    ['a fact with words of its own and the taxonomy\'s', 'facts', '"taxonomy": "source_kinds"', '"taxonomy": "source_kinds", "words": ["live"]', 'facts[2].words cannot be combined with the words of a taxonomy'],
    ['a producer that is no lane', 'lanes', '"producer_lane": "hot_path"', '"producer_lane": "slow_lane"', 'producer_lane ("slow_lane") is not a lane'],
    ['a state of no lane', 'lanes', '"state_lane": "short_window"', '"state_lane": "slow_lane"', 'state_lane ("slow_lane") is not a lane'],
    ['an edition that is no number', 'versions', '"labeling_policy_edition": 3', '"labeling_policy_edition": "two"', 'labeling_policy_edition ("two") must be integer'],
    ['a lane that the labeler does not read', 'lanes', '"lane_id": "short_window"', '"lane_id": "slow_lane"', 'lanes[1].lane_id ("slow_lane") is not a lane that the labeler computes'],
    ['a lane too few', 'lanes', '"lane_id": "short_window"', '"lane_id": "hot_path"', 'lanes lack "short_window"', '"lanes"'],
    ['a lane twice', 'lanes', '"lane_id": "short_window"', '"lane_id": "hot_path"', 'lanes[1].lane_id ("hot_path") appears twice', '"lane_id": "hot_path", "horizon": "30s'],
    ['a lane that leaves out an unknown number', 'lanes', '["realized_vol_bps"]', '["mood"]', 'lanes[1].left_out_when_zero[0] names an unknown number of a lane, "mood"'],
    ['a lane whose number hangs on nothing', 'lanes', '"forced_flow_mean": "forced_flow"', '"mood": "forced_flow"', 'lanes[1].left_out_without.mood names an unknown number of a lane, "mood"'],
    ['a lane whose tag reads the market', 'lanes', '"value_of": "lane_state"', '"value_of": "winner"', 'lanes[2].tags[0].value_of ("winner") is not a fact that a tag may read'],
    ['a lane tag that two rules make', 'lanes', '"value": "states_mixed", "when": { "fact": "lane_state_share", "lt": 0.5 }', '"value": "one_state_dominates", "when": { "fact": "lane_state_share", "lt": 0.5 }', 'lanes[2].tags[1].values[1].value makes the tag "state_vote:one_state_dominates:session" a second time'],
    ['a path that asks for what packets lack', 'routes', 'latest?symbol={symbol}', 'latest?mood={mood}', 'routes.latest uses an unknown parameter, "mood"'],
    ['a reference to no route', 'routes', '["workbench", "evidence"', '["workbench", "nowhere"', 'route_refs[1] ("nowhere") is not a route'],
    ['a recommendation that leads nowhere', 'routes', '"route_to_watchlist_and_replay": "replay"', '"route_to_watchlist_and_replay": "nowhere"', 'recommended.route_to_watchlist_and_replay ("nowhere") is not a route'],
    ['a recommendation without a route', 'routes', '"route_to_watchlist_and_replay": "replay"', '"route_to_mood": "replay"', 'recommended lacks a route for "route_to_watchlist_and_replay"', '"recommended"'],
    ['a route for no recommendation', 'routes', '"route_to_watchlist_and_replay": "replay"', '"route_to_mood": "replay"', 'recommended.route_to_mood is not one of the route_recommendations'],
  ]);

  function indexOfFact(name: string): number {
    const { facts } = JSON.parse(frozenTexts()['facts.json'] ?? '') as { facts: { name: string }[] };
    return facts.findIndex((fact) => fact.name === name);
  }
});

describe('the set of files', () => {
  test('a file of another name is refused by its name', () => {
    expect(faultsOf({ ...frozenTexts(), 'moods.json': '{}' })).toEqual([
      {
        file: 'moods.json',
        line: 1,
        path: '',
        message:
          'the file is not a policy file; they are facts.json, guidance.json, lanes.json, numbers.json, reasons.json, routes.json, tags.json, taxonomy.json, texts.json, versions.json',
      },
    ]);
  });

  test('a missing file is one fault, and what refers to it is not blamed', () => {
    expect(faultsOf(without(frozenTexts(), 'taxonomy.json'))).toEqual([
      { file: 'taxonomy.json', line: 1, path: '', message: 'the file is missing' },
    ]);
    expect(faultsOf({}).map(({ file }) => file)).toEqual([
      'facts.json',
      'guidance.json',
      'lanes.json',
      'numbers.json',
      'reasons.json',
      'routes.json',
      'tags.json',
      'taxonomy.json',
      'texts.json',
      'versions.json',
    ]);
  });

  test('a file that is no JSON is refused at the line where it breaks', () => {
    const texts = editedTexts({ file: 'numbers', from: '"near_ratio": 0.9', to: '"near_ratio": 0.2.3' });
    expect(faultsOf(texts)).toMatchObject([{ file: 'numbers.json', line: lineOf(texts['numbers.json'] ?? '', '0.2.3') }]);
    expect(faultsOf({ ...frozenTexts(), 'numbers.json': '[]' })).toEqual([
      { file: 'numbers.json', line: 1, path: '', message: 'the file must be object' },
    ]);
  });
});

test('every fault of every file is reported at once, in order of file and line', () => {
  const texts = editedTexts(
    { file: 'numbers', from: '"watch": 0.2, "elevated": 0.5', to: '"watch": 0.6, "elevated": 0.5' },
    { file: 'numbers', from: '"packet_interval_ms": 10000', to: '"packet_interval_ms": 7000' },
    { file: 'reasons', from: '"stance": "', to: '"stance": "un' },
    { file: 'tags', from: '"family": "queue"', to: '"family": "mood"' },
    { file: 'versions', from: '.v1"', to: '"' },
  );
  const faults = faultsOf(texts);
  expect(new Set(faults.map(({ file }) => file))).toEqual(new Set(['numbers.json', 'reasons.json', 'tags.json', 'versions.json']));
  expect(faults.filter(({ path }) => path === 'thresholds.forced_flow.elevated' || path === 'windows.book_ms')).toHaveLength(2);
  const places = faults.map(({ file, line }) => `${file} ${String(line).padStart(5, '0')}`);
  expect(places).toEqual([...places].sort());
});

test('an unknown key or a value out of range hides no other fault of its file', () => {
  const texts = editedTexts(
    { file: 'numbers', from: '"packets": 3,', to: '"packets": 3, "packts": 3,' },
    { file: 'numbers', from: '"lead_packets": 9', to: '"lead_packets": 0' },
    { file: 'numbers', from: '"watch": 0.2, "elevated": 0.5', to: '"watch": 0.6, "elevated": 0.5' },
    { file: 'guidance', from: '"gte": 0.8', to: '"above": 0.8' },
  );
  expect(faultsOf(texts).map(({ path }) => path)).toEqual([
    'source_quality_class[0].when.above',
    'thresholds.forced_flow.elevated',
    'dwell.packts',
    'session_state.lead_packets',
  ]);
});

test('the message of the error is its faults, a line each', () => {
  const error = new PolicyError([
    { file: 'tags.json', line: 4, path: 'groups[0]', message: 'groups[0] lacks "family"' },
    { file: 'numbers.json', line: null, path: '', message: 'the file is missing' },
  ]);
  expect(error.message).toBe('tags.json:4: groups[0] lacks "family"\nnumbers.json: the file is missing');
});

const textFaults = (text: string) => readJsonText(text).faults.map(({ line, pointer, message }) => `${line} ${pointer} ${message}`);

describe('reading a JSON text', () => {
  test('its value is that of JSON.parse, and each member and element has the line it begins on', () => {
    const text = '{\n  "a": {"b": 1,\n "c/d": [10,\n  {"e": null}, "x"]},\n  "f": true\n}\n';
    const read = readJsonText(text);
    expect(read.value).toEqual(JSON.parse(text));
    expect(read.faults).toEqual([]);
    const lines = ['', '/a', '/a/b', '/a/c~1d', '/a/c~1d/0', '/a/c~1d/1', '/a/c~1d/1/e', '/a/c~1d/2', '/f'].map(read.lineOf);
    expect(lines).toEqual([1, 2, 2, 3, 3, 4, 4, 4, 5]);
  });

  test('what is not there has the line of its nearest parent', () => {
    const read = readJsonText('{\n"a": {\n"b": 1}}');
    expect(['/a/z', '/a/b/c/d', '/q'].map(read.lineOf)).toEqual([2, 3, 1]);
  });

  test('quotes, colons and escapes inside texts are no names', () => {
    expect(textFaults('{"a": ["x", ":"], "b\\"": "\\":", "c": "{\\"a\\": 1}"}')).toEqual([]);
    expect(textFaults('{"a": 1,\n"\\u0061": 2}')).toEqual(['2 /a appears twice']);
  });

  test.each([
    ['{\n"a": 1,\n"a": 2}', '3 /a appears twice'],
    ['{"x": [{"a": 1,\n"a": 2}]}', '2 /x/0/a appears twice'],
    ['{\n"a": 1,\n}', '2  has a comma with nothing after it'],
    ['{"a": [1,\n2,\n]}', '2 /a has a comma with nothing after it'],
    ['{\n# why\n"a": 1}', '2  contains "# why", which is not JSON'],
    ["{\n'a': 1}", '2  is not JSON: a member is "name": value, an element a value'],
    ['{\n"a": \'x\'}', '2 /a is not a JSON value'],
    ['{\n"a": "\\x41"}', '2 /a is not a JSON value'],
    ['{\n"a": &b 1}', '2  contains "&b", which is not JSON'],
    ['{"a": 1,\n"b"}', '2  is not JSON: a member is "name": value, an element a value'],
  ])('%j is refused where it goes wrong', (text, fault) => {
    expect(textFaults(text)).toContain(fault);
  });

  test.each([
    ['{\n"a": x}', 2],
    ['{\n"a": 01}', 2],
    ['{"a": 1', 1],
    ['{"a": 1}\n}', 2],
    ['{"a": [1,\n,2]}', 2],
    ['{"a":\n1 2}', 2],
    ['', 1],
    ['# a comment\n', 1],
    ['a: 1', 1],
    ['\uFEFF{}', 1],
    ['{}\n---\n{}', 2],
  ])('%j is no JSON, and the line says where', (text, line) => {
    const [first] = readJsonText(text).faults;
    expect(first).toMatchObject({ line, pointer: '' });
    expect(first?.message).toMatch(/^is not JSON/);
  });
});
