import fc from 'fast-check';
import type { PacketResult } from '../../src/index';
import { labelLog } from '../label-log';
import { without } from '../without';
import { marketCase, openCase, RUNS, type MarketCase } from './cases';
import type { Telling } from './market-script';
import { mirrorTags, mirrorWords, scoresOf, signedTerms } from './views';

function labelCase(market: MarketCase, telling: Partial<Telling> = {}): readonly PacketResult[] {
  const { state, events } = openCase(market, telling);
  return labelLog(events, state());
}

test('the mirrored market mirrors every side and changes no score', () => {
  fc.assert(
    fc.property(marketCase, (market) => {
      const plain = labelCase(market);
      const mirrored = labelCase(market, { mirrored: true });
      expect(mirrored).toHaveLength(plain.length);
      plain.forEach((result, index) => {
        const other = mirrored[index] as PacketResult;
        const [ours, theirs] = [scoresOf(result), scoresOf(other)];
        expect(theirs.scores).toEqual(ours.scores);
        expect(signedTerms(other, -1)).toEqual(signedTerms(result, 1));
        expect(theirs.direction ?? 0).toBe(0 - (ours.direction ?? 0));
        expect(other.packet.event_class).toBe(mirrorWords(result.packet.event_class));
        expect(other.packet.market_read_direction).toBe(mirrorWords(result.packet.market_read_direction));
        expect([...other.packet.tags].sort()).toEqual(mirrorTags(result.packet.tags));
      });
    }),
    RUNS,
  );
});

test('prices or sizes scaled by a power of two change no dimensionless feature, and only L and what reads it may move', () => {
  fc.assert(
    fc.property(marketCase, fc.constantFrom(0.5, 4), fc.boolean(), (market, factor, prices) => {
      const plain = labelCase(market);
      const scaled = labelCase(market, prices ? { priceScale: factor } : { sizeScale: factor });
      expect(scaled).toHaveLength(plain.length);
      plain.forEach(({ packet }, index) => {
        const other = (scaled[index] as PacketResult).packet;
        const { liquidation_notional_usd: notional, ...strengths } = packet.driver_strengths;
        const { liquidation_notional_usd: scaledNotional, ...scaledStrengths } = other.driver_strengths;
        expect(scaledStrengths).toEqual(strengths);
        expect(scaledNotional).toBe(notional === null ? null : notional * factor);
        const composites = (of: typeof packet) => without(of.state_decision_trace.composites, 'forced_flow');
        expect(composites(other)).toEqual(composites(packet));
        expect(other.state_decision_trace.candidate_states).toEqual(packet.state_decision_trace.candidate_states);
        expect([other.state, other.event_class, other.confidence]).toEqual([packet.state, packet.event_class, packet.confidence]);
        expect(other.event_severity.movement_bps).toBe(packet.event_severity.movement_bps);
        expect([other.session_state, other.source_resolution.not_available]).toEqual([
          packet.session_state,
          packet.source_resolution.not_available,
        ]);
      });
    }),
    RUNS,
  );
});
