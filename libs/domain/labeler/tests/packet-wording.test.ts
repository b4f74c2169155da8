import { assemblePacket } from '../src/packet/assemble';
import { classifyEvent, type EventInput } from '../src/classify/event-class';
import type { Packet } from '../src/packet/packet';
import { numberWords } from '../src/policy/number-words';
import { composite, decisionOf, packetRead, policy } from './packet-read';
import { recordingPackets } from './recording-packets';
import { syntheticPackets } from './synthetic-packets';

const btc = recordingPackets('BTCUSD-PERP', 2).map(({ packet }) => packet);
const eth = recordingPackets('ETHUSD-PERP').map(({ packet }) => packet);
const packets: readonly Packet[] = [...btc, ...eth];

const UNATTENDED = 'unattended_routing_with_source_checks';

function at(list: readonly Packet[], ts: string): Packet {
  const found = list.find((packet) => packet.ts === ts);
  if (found === undefined) throw new Error(`no packet at ${ts}`);
  return found;
}

function endings(packet: Packet): readonly string[] {
  return packet.client_reason_summary.invalidation_conditions;
}

describe('a balanced class with trade flow over watch', () => {
  const flowOverWatch = packets.filter(
    ({ event_class: name, state_decision_trace: trace }) =>
      name === 'balanced_two_sided_context' && trace.composites.flow.level === 'watch',
  );

  test('every sentence that names the class says that flow is over watch', () => {
    expect(flowOverWatch.length).toBeGreaterThan(5);
    for (const packet of flowOverWatch) {
      const { headline, read } = packet.client_readout;
      expect(headline).toMatch(/balanced two-sided context, (buy|sell) flow over watch;/);
      expect(headline).not.toContain('no dominant side');
      expect(read).toMatch(/flow is over watch/);
      expect(packet.client_reason_summary.what_changed).not.toMatch(/to balanced two-sided context\./);
    }
  });

  test('says so where the class is new', () => {
    expect(at(btc, '2024-08-08T23:57:30.000Z').client_reason_summary.what_changed).toContain(
      'to balanced two-sided context, with buy flow over watch.',
    );
  });

  test('no packet turns from one without telling the flow of then', () => {
    const { client_reason_summary: summary } = at(btc, '2024-08-08T23:56:00.000Z');
    expect(summary.what_changed).toContain('from balanced two-sided context, with trade flow at 0.40 then, to');
  });
});

describe('what ends a fragility read', () => {
  const fragile = packets.filter(({ state_decision_trace: trace }) => trace.winner_state === 'fragile_depth_watch');
  const weakens = /^The fragility read weakens when queue fragility \(now (.*)\) falls under (.*)\.$/;

  test('falls under watch only from above it', () => {
    for (const packet of fragile) {
      const { score, watch } = packet.state_decision_trace.composites.fragility;
      const said = endings(packet).filter((sentence) => weakens.test(sentence));
      expect([packet.ts, said.length]).toEqual([packet.ts, (score ?? 0) >= watch ? 1 : 0]);
    }
  });

  test('is the score of the runner-up where fragility wins under its watch threshold', () => {
    const under = fragile.filter(
      ({ state_decision_trace: trace }) => trace.composites.fragility.level !== 'watch' && trace.composites.fragility.level !== 'elevated',
    );
    expect(under.length).toBeGreaterThan(0);
    for (const packet of under) {
      const { score, watch } = packet.state_decision_trace.composites.fragility;
      const { winner_score: winner, runner_up_score: runnerUp } = packet.state_diagnosis;
      const said = endings(packet).find((sentence) => sentence.startsWith('The fragility read, with queue fragility of'));
      const [own, own2] = apart(score ?? 0, watch);
      const [winning, second] = apart(winner, runnerUp);
      expect(said).toContain(`of ${own} under its watch threshold of ${own2} already, ends when its score of ${winning} falls under`);
      expect(said).toMatch(new RegExp(`now ${second}\\.$`));
    }
  });
});

describe('what ends depth-only pressure', () => {
  const BECOMES = /^The event class becomes (confirmed pressure|absorption) when (.*)$/;
  const depthOnly = packets.filter(({ event_profile: profile }) => profile === 'depth_only_pressure');

  test('is what the class table makes of the numbers it names, and flow of one side gives no condition of the other', () => {
    expect(depthOnly.length).toBeGreaterThan(50);
    for (const packet of depthOnly) {
      const input = classInput(packet);
      const [said = '', ...more] = endings(packet).filter((sentence) => BECOMES.test(sentence));
      expect([packet.ts, said !== '', more]).toEqual([packet.ts, true, []]);
      const { pressure, flow } = input.composites;
      const sameSide = pressure.side === flow.side;
      expect([packet.ts, BECOMES.exec(said)?.[1]]).toEqual([packet.ts, sameSide ? 'confirmed pressure' : 'absorption']);
      const level = /reaches (\d\.\d+)/.exec(said)?.[1];
      const reached = level === undefined ? flow.score : threshold(level, flow.watch, flow.elevated);
      const bound = packet.state_decision_trace.absorption_bound_bps ?? 0;
      const inside = /(?:inside|more than) /.test(said) ? bound : 0;
      if (inside > 0) expect(Math.abs(Number(/(?:inside|more than) (\d+\.?\d*) bps/.exec(said)?.[1]) - bound)).toBeLessThanOrEqual(0.05);
      if (sameSide) expect(profileOf(input, reached)).toBe('flow_confirmed_pressure');
      else if (flow.score >= flow.watch) {
        expect(profileOf(input, flow.score, inside)).toBe('contra_flow_absorption');
        expect(profileOf(input, reached)).toBe('trade_flow_lead');
      } else {
        expect(reached).toBe(flow.watch);
        expect(profileOf(input, reached, inside)).toBe('contra_flow_absorption');
        expect(profileOf(input, reached - 0.000_001, inside)).toBe('depth_only_pressure');
        expect(profileOf(input, reached)).toBe(input.priceMoveBpsAbs <= inside ? 'contra_flow_absorption' : 'depth_only_pressure');
        if (said.includes('trade flow leads'))
          expect(profileOf(input, threshold(/leads from (\d\.\d+) on/.exec(said)?.[1] ?? '', flow.watch, flow.elevated))).toBe(
            'trade_flow_lead',
          );
      }
      const [now, watch] = apart(pressure.score, pressure.watch);
      expect(endings(packet)).toContain(`The event class ends when book pressure (now ${now}) falls under ${watch}.`);
    }
  });

  test('is the move coming back where opposite flow is over watch already', () => {
    expect(endings(at(btc, '2024-08-08T23:58:00.000Z'))).toContain(
      'The event class becomes absorption when the mid move over one minute (now 12.2 bps) is back inside 2.0 bps; with the move ' +
        'outside, trade flow leads when sell flow (now 0.55) reaches 0.60.',
    );
  });

  test('is opposite flow at watch, not at elevated, while price stands still', () => {
    expect(endings(at(btc, '2024-08-08T23:55:20.000Z'))).toContain(
      'The event class becomes absorption when buy flow (now 0.16) reaches 0.35 while the mid move over one minute (now 0.40 bps) ' +
        'stays inside 2.00 bps.',
    );
  });

  test('is told for a flow without a side, and for a move that cannot be measured yet', () => {
    const base = packetRead();
    const depth = {
      eventClass: 'visible_depth_pressure_without_trade_confirmation',
      eventProfile: 'depth_only_pressure',
      direction: 'bid_heavy_depth',
    };
    const leaning = {
      ...depth,
      decision: decisionOf('depth_watch', 0.6, 'market_state_watch', 0.35),
      composites: { ...base.composites, pressure: composite(0.5, 1, true, { m180: 0.5, held_seconds: 180 }) },
    };
    const noSide = assemblePacket(packetRead({ ...leaning, composites: { ...leaning.composites, flow: composite(0) } }), policy);
    expect(endings(noSide).join(' ')).toContain(
      'reaches 0.60 on the side of the book, and can become absorption when it reaches 0.35 against it.',
    );
    const unmeasured = assemblePacket(packetRead({ ...leaning, priceMoveBps: 0, priceMoveMeasured: false }), policy);
    expect(endings(unmeasured).join(' ')).toContain(
      'sell flow (now 0.08) reaches 0.35, unless mid is then found to have moved more than 2.0 bps over one minute.',
    );
  });

  /** The threshold that a sentence prints. */
  function threshold(printed: string, ...levels: readonly number[]): number {
    const found = levels.filter((level) => Math.abs(level - Number(printed)) <= 0.005);
    expect(found).toHaveLength(1);
    return found[0] ?? Number.NaN;
  }

  function profileOf(input: EventInput, flowScore: number, priceMoveBpsAbs = input.priceMoveBpsAbs): string {
    const { flow } = input.composites;
    const held = flowScore >= (flow.held ? flow.leaveAt : flow.watch);
    const composites = { ...input.composites, flow: { ...flow, score: flowScore, held } };
    return classifyEvent({ ...input, composites, priceMoveBpsAbs }).eventProfile;
  }
});

describe('unattended routing', () => {
  test('is allowed exactly on a supported threshold read that is active and published', () => {
    for (const packet of packets) {
      const { state_diagnosis: diagnosis, automation_readiness: readiness } = packet;
      const fit =
        readiness.status === 'routing_ready_with_source_family_checks' &&
        diagnosis.route_recommendation === 'route_to_watchlist_and_replay' &&
        diagnosis.evidence_quality_class === 'source_supported_threshold_read' &&
        diagnosis.diagnosis_class === 'active_context_read' &&
        diagnosis.winner_state === packet.state;
      expect([packet.ts, readiness.allowed_uses.includes(UNATTENDED)]).toEqual([packet.ts, fit]);
      expect([packet.ts, readiness.blocked_uses.includes('unattended_routing')]).toEqual([packet.ts, !fit]);
    }
  });

  test.each<[string, (packet: Packet) => boolean]>([
    ['no threshold crossed', ({ state_diagnosis: diagnosis }) => diagnosis.evidence_quality_class === 'no_threshold_crossed'],
    ['a label that only dwell keeps', ({ state_diagnosis: diagnosis, state }) => diagnosis.winner_state !== state],
    ['candidates that compete', ({ state_diagnosis: diagnosis }) => diagnosis.diagnosis_class === 'competing_state_read'],
  ])('is not allowed with %s, though the recommendation asks for no review', (_name, holds) => {
    const found = packets.filter(
      (packet) => packet.state_diagnosis.route_recommendation === 'route_to_watchlist_and_replay' && holds(packet),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((packet) => packet.automation_readiness.allowed_uses.includes(UNATTENDED))).toEqual([]);
  });
});

test('pending lineage says which it is: too few packets, or a cut', () => {
  const pending = btc.filter((packet) => packet.transition_type === 'lineage_context_pending');
  expect(pending.some((packet) => packet.packet_lineage_summary.packets_before >= 6)).toBe(true);
  for (const packet of pending) {
    const before = packet.packet_lineage_summary.packets_before;
    const [reason, ...more] = packet.reason_details.filter(({ reason_id: id }) => id.startsWith('lineage_'));
    expect(reason?.claim).toContain(
      before < 6 ? `too few packets came before this one (${before})` : 'every channel was cut since the packet before',
    );
    expect(more).toEqual([]);
  }
});

test('no reason claims a whole window of entries, which a cut may have shortened', () => {
  for (const packet of [...packets, ...Object.values(syntheticPackets())]) {
    expect(
      packet.reason_details
        .map(({ claim }) => claim)
        .filter((claim) => /last minute|one-minute|liquidations of the last|in five minutes(?! at most)/.test(claim)),
    ).toEqual([]);
  }
});

test('each next step names its symbol', () => {
  for (const packet of [...packets, ...Object.values(syntheticPackets())]) expect(packet.client_readout.next_step).toContain(packet.symbol);
});

test('a packet of a recording says so once in its readout, one of a live venue does not', () => {
  for (const packet of packets)
    expect(
      Object.values(packet.client_readout)
        .join(' ')
        .match(/re-timed recording/g),
    ).toHaveLength(1);
  const live = assemblePacket(packetRead({ sourceKind: 'live' }), policy);
  expect(live.client_readout.support).toMatch(/^Source families resolved: /);
});

/** Two scores as a sentence prints them beside each other. */
function apart(one: number, other: number): readonly [string, string] {
  return [numberWords(one, 'score', other), numberWords(other, 'score', one)];
}

/** What the event class reads, as the packet tells it. */
function classInput(packet: Packet): EventInput {
  const { composites } = packet.state_decision_trace;
  const { book_side: bookSide, flow_side: flowSide } = packet.state_hierarchy.side_context;
  const scored = (name: 'pressure' | 'flow' | 'crowding', side: -1 | 0 | 1) => ({
    ...composite(0),
    ...composites[name],
    score: composites[name].score ?? 0,
    norm: composites[name].norm ?? 0,
    leaveAt: composites[name].leave_at,
    heldPackets: composites[name].held_packets,
    terms: [],
    side,
  });
  const none = composite(0);
  return {
    winner: packet.state_decision_trace.winner_state,
    composites: {
      pressure: scored('pressure', bookSide === 'bid' ? 1 : bookSide === 'ask' ? -1 : 0),
      flow: scored('flow', flowSide === 'buy' ? 1 : flowSide === 'sell' ? -1 : 0),
      crowding: scored('crowding', 0),
      fragility: none,
      forced_flow: none,
      regime: none,
    },
    priceMoveBpsAbs: packet.driver_strengths.lineage_price_move_bps_abs ?? 0,
    absorptionBoundBps: packet.state_decision_trace.absorption_bound_bps,
  };
}
