import fc from 'fast-check';
import type { MarketEvent } from '@market-state/market-data';
import { createState, reduce, restoreState, serializeState, type PacketResult } from '../src/index';
import { chainOf, labelLog, POLICY } from './label-log';
import { renumber } from './log-builder';
import { LOG_RUNS, marketScript, writeScript } from './market-script';

const runs = { numRuns: LOG_RUNS, endOnFailure: true };

/** Swaps bid with ask, buy with sell and long with short wherever they are whole words of a name. */
function mirrorWords(text: string): string {
  const pairs: Readonly<Record<string, string>> = { bid: 'ask', ask: 'bid', buy: 'sell', sell: 'buy', longs: 'shorts', shorts: 'longs' };
  return text.replace(/bid|ask|buy|sell|longs|shorts/g, (word) => pairs[word] ?? word);
}

interface PacketView {
  readonly state: string;
  readonly event_class: string;
  readonly market_read_direction: string;
  readonly tags: readonly string[];
  readonly novelty_score: number;
  readonly contradiction_score: number;
  readonly event_severity: { readonly score: number; readonly basis: readonly string[] };
  readonly confidence: { readonly score: number };
  readonly transition_type: string;
  readonly packet_quality: { readonly quality_score: number; readonly gap_flags: readonly string[] };
  readonly driver_strengths: Readonly<Record<string, number | null>>;
  readonly state_diagnosis: Readonly<Record<'winner_state' | 'winner_score' | 'runner_up_state' | 'runner_up_score' | 'state_margin' | 'diagnosis_class', string | number>>;
  readonly state_decision_trace: { readonly candidate_states: readonly { readonly state: string; readonly score: number }[] };
}

function view({ packet }: PacketResult): PacketView {
  return packet as unknown as PacketView;
}

function scoresOf(result: PacketResult) {
  const packet = view(result);
  const { liquidation_pressure_direction: direction, ...strengths } = packet.driver_strengths;
  return {
    direction,
    scores: {
      state: packet.state,
      strengths,
      severity: packet.event_severity,
      confidence: packet.confidence.score,
      contradiction: packet.contradiction_score,
      novelty: packet.novelty_score,
      quality: packet.packet_quality,
      transition: packet.transition_type,
      diagnosis: packet.state_diagnosis.diagnosis_class,
      candidates: packet.state_decision_trace.candidate_states.map(({ state, score }) => [state, score]),
    },
  };
}

function shuffleWithin(events: readonly MarketEvent[], seed: number): MarketEvent[] {
  let random = seed >>> 0;
  const next = (): number => (random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0);
  const result: MarketEvent[] = [];
  let block: MarketEvent[] = [];
  const flush = (): void => {
    for (let index = block.length - 1; index > 0; index--) {
      const other = next() % (index + 1);
      const held = block[index] as MarketEvent;
      block[index] = block[other] as MarketEvent;
      block[other] = held;
    }
    result.push(...block);
    block = [];
  };
  // Ticks and feed status keep their places: only data events move.
  const data = (event: MarketEvent): boolean => event.kind !== 'tick' && event.kind !== 'feed_status';
  for (const event of events) {
    if (data(event)) block.push(event);
    else {
      flush();
      result.push(event);
    }
  }
  flush();
  return renumber(result);
}

describe('packets are a pure function of the log', () => {
  test('repeated events change nothing', () => {
    fc.assert(
      fc.property(marketScript, fc.infiniteStream(fc.boolean()), (script, again) => {
        const events = writeScript(script);
        const repeated: MarketEvent[] = [];
        for (const event of events) {
          repeated.push(event);
          const { value } = again.next();
          const old = repeated[Math.max(0, repeated.length - 7)];
          if (value === true && old !== undefined && old.kind !== 'tick' && old.kind !== 'feed_status') repeated.push(old);
        }
        const plain = labelLog(events).map((result) => result.packetDigest);
        expect(labelLog(renumber(repeated)).map((result) => result.packetDigest)).toEqual(plain);
      }),
      runs,
    );
  });

  test('another arrival order inside a window changes nothing', () => {
    fc.assert(
      fc.property(marketScript, fc.nat(), (script, seed) => {
        const events = writeScript(script);
        expect(chainOf(labelLog(shuffleWithin(events, seed)))).toEqual(chainOf(labelLog(events)));
      }),
      runs,
    );
  });

  test('later entries never change an earlier packet', () => {
    fc.assert(
      fc.property(marketScript, fc.double({ min: 0, max: 1, noNaN: true }), (script, share) => {
        const events = writeScript(script);
        const prefix = chainOf(labelLog(events.slice(0, Math.floor(events.length * share))));
        expect(chainOf(labelLog(events)).slice(0, prefix.length)).toEqual(prefix);
      }),
      runs,
    );
  });

  test('stopping anywhere and going on from the stored state changes nothing', () => {
    fc.assert(
      fc.property(marketScript, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }), (script, shares) => {
        const events = writeScript(script);
        const stops = new Set(shares.map((share) => Math.floor(share * events.length)));
        let state = createState('BTCUSD-PERP', POLICY);
        const results: PacketResult[] = [];
        events.forEach((event, index) => {
          if (stops.has(index)) {
            const bytes = serializeState(state);
            state = restoreState(bytes, POLICY);
            expect(Buffer.compare(serializeState(state), bytes)).toBe(0);
          }
          results.push(...reduce(state, event));
        });
        expect(chainOf(results)).toEqual(chainOf(labelLog(events)));
      }),
      runs,
    );
  });
});

describe('symmetries', () => {
  test('the mirrored market mirrors every side and changes no score', () => {
    fc.assert(
      fc.property(marketScript, (script) => {
        const plain = labelLog(writeScript(script));
        const mirrored = labelLog(writeScript(script, { mirrored: true }));
        expect(mirrored).toHaveLength(plain.length);
        plain.forEach((result, index) => {
          const other = mirrored[index] as PacketResult;
          const [ours, theirs] = [scoresOf(result), scoresOf(other)];
          expect(theirs.scores).toEqual(ours.scores);
          expect(theirs.direction ?? 0).toBe(0 - (ours.direction ?? 0));
          expect(view(other).event_class).toBe(mirrorWords(view(result).event_class));
          expect(view(other).market_read_direction).toBe(mirrorWords(view(result).market_read_direction));
        });
      }),
      runs,
    );
  });

  test('prices or sizes scaled by a power of two change no dimensionless feature', () => {
    const scale = fc.constantFrom(0.25, 0.5, 2, 8);
    fc.assert(
      fc.property(marketScript, scale, fc.boolean(), (script, factor, prices) => {
        const telling = prices ? { priceScale: factor } : { sizeScale: factor };
        const plain = labelLog(writeScript(script));
        const scaled = labelLog(writeScript(script, telling));
        plain.forEach((result, index) => {
          const { liquidation_notional_usd: notional, ...strengths } = view(result).driver_strengths;
          const { liquidation_notional_usd: scaledNotional, ...scaledStrengths } = view(scaled[index] as PacketResult).driver_strengths;
          expect(scaledStrengths).toEqual(strengths);
          expect(scaledNotional ?? null).toBe(notional === null || notional === undefined ? null : notional * factor);
          const scores = view(scaled[index] as PacketResult).state_decision_trace.candidate_states;
          expect(scores.map(({ score }) => score)).toEqual(view(result).state_decision_trace.candidate_states.map(({ score }) => score));
        });
      }),
      runs,
    );
  });
});

describe('every packet', () => {
  test('has scores in 0..1, a margin that is winner less runner-up, and a state that moves only as dwell allows', () => {
    const outOfTurn = new Set(['insufficient_evidence', 'replay_context_ready']);
    fc.assert(
      fc.property(marketScript, (script) => {
        const packets = labelLog(writeScript(script)).map(view);
        packets.forEach((packet, index) => {
          const { winner_score: winner, runner_up_score: runnerUp, state_margin: margin, winner_state: winnerState } = packet.state_diagnosis;
          const scores = packet.state_decision_trace.candidate_states.map(({ score }) => score);
          for (const score of [...scores, packet.event_severity.score, packet.confidence.score, packet.contradiction_score, packet.novelty_score]) {
            expect(score >= 0 && score <= 1).toBe(true);
          }
          expect(winner).toBe(Math.max(...scores));
          expect(margin).toBeCloseTo(Number(winner) - Number(runnerUp), 6);
          const before = packets[index - 1];
          if (before === undefined) return expect(packet.state).toBe(winnerState);
          if (packet.state === before.state) return;
          expect(packet.state).toBe(winnerState);
          const twice = before.state_diagnosis.winner_state === winnerState;
          expect(twice || Number(margin) >= 0.2 || outOfTurn.has(packet.state) || outOfTurn.has(before.state)).toBe(true);
        });
      }),
      runs,
    );
  });
});
