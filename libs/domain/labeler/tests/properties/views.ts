import type { PacketResult } from '../../src/index';

/** Swaps bid with ask, buy with sell and long with short in whole words of a name. */
export function mirrorWords(text: string): string {
  const pairs: Readonly<Record<string, string>> = { bid: 'ask', ask: 'bid', buy: 'sell', sell: 'buy', longs: 'shorts', shorts: 'longs' };
  return text.replace(/bid|ask|buy|sell|longs|shorts/g, (word) => pairs[word] ?? word);
}

/**
 * Tags in the mirrored market. Each book is mirrored about its own mid, so the path of mid is unchanged: a move with
 * the book becomes one against it.
 */
export function mirrorTags(tags: readonly string[]): readonly string[] {
  const moves: Readonly<Record<string, string>> = {
    price_moves_with_book: 'price_moves_against_book',
    price_moves_against_book: 'price_moves_with_book',
  };
  return tags.map((tag) => mirrorWords(tag).replace(/price_moves_(with|against)_book/, (word) => moves[word] ?? word)).sort();
}

/** Values that mirroring must not change. */
export function scoresOf({ packet }: PacketResult) {
  const { liquidation_pressure_direction: direction, ...strengths } = packet.driver_strengths;
  return {
    direction,
    scores: {
      state: packet.state,
      strengths,
      severity: packet.event_severity,
      confidence: packet.confidence,
      contradiction: packet.contradiction_score,
      novelty: packet.novelty_score,
      quality: packet.packet_quality,
      transition: packet.transition_type,
      diagnosis: packet.state_diagnosis.diagnosis_class,
      calibration: packet.calibration_context,
      sessionState: packet.session_state,
      publication: packet.state_decision_trace.publication,
      candidates: packet.state_decision_trace.candidate_states,
      composites: Object.entries(packet.state_decision_trace.composites).map(([name, { side: _side, terms, ...composite }]) => [
        name,
        composite,
        Object.entries(terms).filter(([term]) => !SIGNED.includes(term)),
      ]),
    },
  };
}

/** Terms that mirroring negates. */
const SIGNED: readonly string[] = ['imb_5', 'imb_1', 'm180', 'pressure_signed', 'trade_imbalance', 'flow_10s', 'flow_signed'];

/** Signed terms by name, times `sign`; 0 has no sign. */
export function signedTerms({ packet }: PacketResult, sign: 1 | -1): readonly (readonly [string, number | null])[] {
  return Object.values(packet.state_decision_trace.composites)
    .flatMap(({ terms }) => Object.entries(terms))
    .filter(([term]) => SIGNED.includes(term))
    .map(([term, value]) => [term, value === null ? null : sign * value + 0] as const);
}
