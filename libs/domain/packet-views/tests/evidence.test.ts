import { COMPOSITES, FEATURE_KEYS, type Packet, round6 } from '@market-state/labeler';
import { buyerSummary, evidenceView } from '../src';
import { definitions, recordedPackets, simulatedPackets } from './labelled';

/** Packets of a real market without context or liquidations, and of a simulated one with all channels, forced closes among them. */
const packets: readonly Packet[] = [...recordedPackets(), ...simulatedPackets('liquidation_cascade', 1.25)].map(({ packet }) => packet);
const views = packets.map((packet) => ({ packet, view: evidenceView(packet, definitions) }));

function nullsIn(values: readonly unknown[]): number {
  return values.filter((value) => value === null).length;
}

/** Evaluates a published formula; its variables are the names of the terms. */
function computed(formula: string, terms: Readonly<Record<string, number>>): number {
  const names = Object.keys(terms);
  const calculate = new Function('abs', 'min', 'max', 'ln', ...names, `return ${formula.replaceAll('×', '*')};`) as (
    ...values: unknown[]
  ) => number;
  return round6(calculate(Math.abs, Math.min, Math.max, Math.log, ...names.map((name) => terms[name])));
}

test('there are packets of every kind that the tests below are about', () => {
  const levels = new Set(
    packets.flatMap(({ state_decision_trace: { composites } }) => COMPOSITES.map((name) => `${name} ${composites[name].level}`)),
  );
  for (const level of [
    'forced_flow no_source',
    'crowding no_source',
    'forced_flow elevated',
    'forced_flow below_watch',
    'regime not_available',
    'pressure watch',
    'flow elevated',
  ])
    expect(levels).toContain(level);
  expect(new Set(packets.map(({ calibration_context }) => calibration_context.live_during_calibration))).toEqual(new Set([true, false]));
});

test('every score follows from its terms by the published formula', () => {
  const scored = views.flatMap(({ packet, view }) =>
    view.composites.filter(({ score }) => score !== null).map((composite) => ({ id: packet.event_id, ...composite })),
  );
  const follows = scored.map(({ id, composite, formula, terms }) => {
    const values = Object.fromEntries(terms.map(({ term, value }) => [term, value ?? 0]));
    return [id, composite, computed(formula, values)];
  });
  expect(follows).toEqual(scored.map(({ id, composite, score }) => [id, composite, score]));
});

test('features, scores, thresholds and candidates are those of the packet', () => {
  for (const { packet, view } of views) {
    expect(Object.fromEntries(view.features.map(({ feature, value }) => [feature, value]))).toEqual(packet.driver_strengths);
    expect(view.features.map(({ feature }) => feature)).toEqual(FEATURE_KEYS);
    for (const { composite, score, side, level } of view.composites)
      expect(packet.state_decision_trace.composites[composite]).toMatchObject({ score, side, level });
    const listed = view.thresholds.filter(({ crossing_class }) => crossing_class === 'crossed' || crossing_class === 'near_threshold');
    expect(
      listed.map(({ feature_id, threshold, value, distance, crossing_class }) => ({
        feature_id,
        threshold,
        value,
        distance,
        crossed: crossing_class === 'crossed',
        crossing_class,
      })),
    ).toEqual(packet.state_diagnosis.crossed_thresholds);
    expect(view.candidates.map(({ state, score }) => ({ state, score }))).toEqual(
      packet.state_decision_trace.candidate_states.toSorted((a, b) => b.score - a.score).map(({ state, score }) => ({ state, score })),
    );
    expect(view.candidates.map(({ outcome }) => outcome)).toEqual(['winner', 'runner_up', ...Array.from({ length: 8 }, () => 'rejected')]);
  }
});

test('a losing candidate is described as fully as the winner: score, margin and reason', () => {
  const faulty = views.flatMap(({ packet, view }) => {
    const [winner, ...losers] = view.candidates;
    const faults = losers.filter(({ label, score, shortfall, sentence, rejection_reason }) => {
      const form = new RegExp(`^${label.replaceAll(/[/()]/g, '.')} scores ${String(score).replace('.', '\\.')}, .+\\. [A-Z].+\\.$`);
      return rejection_reason === null || round6((winner?.score ?? 0) - score) !== shortfall || !form.test(sentence);
    });
    if (winner?.sentence !== `${winner?.label} scores ${winner?.score} and wins.`) faults.push(...view.candidates.slice(0, 1));
    return faults.map((candidate) => [packet.event_id, candidate]);
  });
  expect(faulty).toEqual([]);
  expect(views.filter(({ view }) => view.candidates.length < 2)).toEqual([]);
});

test('what is null says why, and what is not null needs no reason', () => {
  const faulty = views.flatMap(({ packet, view }) => [
    ...view.features.filter(
      ({ value, state, reason }) => (value === null) !== (state === 'missing') || (reason === null) !== (state === 'observed'),
    ),
    ...view.composites.filter(({ score, absence }) => (score === null) !== (absence !== null)),
    ...view.composites.flatMap(({ terms }) => terms.filter(({ value, reason }) => (value === null) !== (reason !== null))),
    ...view.thresholds.filter(
      ({ value, distance, crossing_class }) => (distance === null) !== (value === null) || (crossing_class === null) !== (value === null),
    ),
    ...(nullsIn(view.features.map(({ value }) => value)) === nullsIn(Object.values(packet.driver_strengths)) ? [] : [packet.event_id]),
  ]);
  expect(faulty).toEqual([]);
});

test('thresholds are quantiles only of calibrated scores and only once there is a session, else defaults by activity', () => {
  for (const { packet, view } of views) {
    const own = packet.calibration_context.live_during_calibration ? [] : ['pressure', 'flow', 'fragility'];
    expect([
      ...new Set(view.thresholds.filter(({ source }) => source === 'symbol_rolling_quantile').map(({ composite }) => composite)),
    ]).toEqual(own);
    expect(view.calibration.own_quantile_composites).toEqual(own);
    const { activity = NaN } = packet.state_decision_trace.candidate_states.find(({ state }) => state === 'pressure_building')?.terms ?? {};
    const scale = Math.min(3, Math.max(1 / 3, 1 / (activity ?? NaN) ** 2));
    const faulty = view.thresholds.filter(
      ({ source, quantile, threshold, policy_default, composite }) =>
        (quantile === null) !== (source === 'policy_default') ||
        (source === 'policy_default' &&
          Math.abs(threshold - policy_default * (['pressure', 'flow', 'fragility'].includes(composite) ? scale : 1)) > 1e-6),
    );
    expect(faulty).toEqual([]);
  }
});

test('every reason stands under its stance, once, and every tag and reason of a score is the packet’s', () => {
  for (const { packet, view } of views) {
    const { supports, weighs_against, context } = view.reasons;
    expect([...supports, ...weighs_against, ...context].map(({ reason_id }) => reason_id).sort()).toEqual(
      packet.reason_details.map(({ reason_id }) => reason_id).sort(),
    );
    expect(weighs_against.map(({ claim }) => claim)).toEqual(weighs_against.length === 0 ? [] : view.counterevidence);
    for (const { tags, reasons } of view.composites) {
      expect(packet.tags).toEqual(expect.arrayContaining(tags));
      expect(packet.reason_details).toEqual(expect.arrayContaining(reasons));
    }
  }
});

test('a sentence on a score holds its own numbers', () => {
  const faulty = views.flatMap(({ view }) =>
    view.composites.filter(({ score, sentence }) =>
      score === null ? !/ is unknown: | cannot be measured yet/.test(sentence) : !sentence.includes(` ${score}`),
    ),
  );
  expect(faulty).toEqual([]);
});

/** Every text of a view. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

test('no sentence of a view names a side to take, a size, a level to trade at or a return', () => {
  const reported = new Set(
    views.flatMap(({ packet, view }) =>
      [
        ...view.features.map(({ meaning }) => meaning),
        ...view.composites.flatMap(({ sentence, terms }) => [sentence, ...terms.map(({ meaning }) => meaning)]),
        ...view.candidates.map(({ sentence }) => sentence),
        view.decision.sentence,
        view.calibration.sentence,
        buyerSummary(packet, definitions).overview,
      ].flatMap(textsOf),
    ),
  );
  expect(reported.size).toBeGreaterThan(1_000);
  const described = /\b(to the (buy|sell) side|(longs|shorts) liquidated|aggressive (buyers|sellers)|forced closes of positions)\b/g;
  const forbidden =
    /\b(buy|sell|buyers?|sellers?|long|short|longs|shorts|positions?|enter|entry|exit|target|stop|profit|loss|returns?|size your|leverage|bullish|bearish|forecast|expect|should|must|signal|advice|opportunity|you|your|trade now)\b/i;
  expect([...reported].filter((text) => forbidden.test(text.toLowerCase().replaceAll(described, '')))).toEqual([]);
});
