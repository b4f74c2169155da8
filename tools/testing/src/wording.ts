/** Words fixed by the contract: they deny what they name, or name where a composite is held. */
const FIXED = [
  'not_signal_not_advice_not_execution_not_performance',
  'trade_execution',
  'profitability_claims',
  'investment_advice',
  'not_a_signal',
  'trade_instruction',
  'market_outcome_claim',
  'route_recommendations',
  'route_recommendation',
  'recommended_route',
  'recommended',
  'enter_at',
];

/** Descriptions of a market, removed from a text before it is searched for these words. */
const DESCRIPTIVE: readonly RegExp[] = [
  // aggressor side, in a list or before its effect
  /^(buy|sell|long|short|longs|shorts|returns|bids?|asks?)$/g,
  /\bfrom the (buy|sell) to the (buy|sell|none) side\b|\bfrom the none to the (buy|sell) side\b/g,
  /\b(buy|sell)([- ]heavy| flow| side| elevated| watch)\b/g,
  /\b(buy, sell|longs, shorts) or none\b/g,
  /\baggressive (buyers|sellers|purchases|sales)\b/g,
  /\b(buyers|sellers) (crossing|cross more|dominate)\b/g,
  // positions liquidated by the venue
  /\b(longs|shorts)( liquidated| elevated| watch|, shorts| or none|\.)/g,
  /\b(1|the same,) shorts\b/g,
  /\bforced closes of positions\b|^position side liquidated\b/g,
  /\bpositioning context\b/g,
  /\bshort (window|volatility|realized volatility|return total|against session)\b/g,
  /\b(vol|volatility) short\b/g,
  /:short\b/g,
  /\b(how|for|so) long\b/g,
  /\b(log|too few|session|ten-second) returns?\b/g,
  /^trade sizes?( total)?$/g,
  /^route recommendation\.$/g,
  /\b(windows hold|to hold depth|not hold|hold any routing)\b/g,
  /\bopen (interest|gap)\b/g,
];

/** A side to take, a size, a level to trade at, a return, advice or a forecast. */
const FORBIDDEN: readonly RegExp[] = [
  /\b(buy|sell|long|short|longs|shorts|buyers|sellers|purchases?|sales|buying|selling|longing|shorting)\b/,
  /\b(enter|enters|entering|entry|entries|exit|exits|exiting|re-?enter)\b/,
  /\b(target|targets|targeting|take|stop|stops|stop-?loss|take-?profit|trailing stop|breakeven|break-even)\b/,
  /\b(positions?|sizing|leverage|leveraged|margin call|stake|bet|bets|wager|allocation|allocate|exposure|hedge|hedged|hedging|portfolio)\b/,
  /\b(order|trade|bet|lot|ticket) sizes?\b/,
  /\b(limit|market|stop|buy|sell) orders?\b/,
  /\b(add|adds|adding) (to|more|here|size)\b|\b(scale|scaling) (in|out)\b|\b(reduce|trim|flatten|unwind|accumulate|liquidate (your|the))\b/,
  /\b(open|close|hold|cover|fade|chase) (a|an|the|your|it|here|now|this|for|until|through)\b/,
  /\b(profit|profits|profitable|profitability|pnl|gains?|loss|losses|lose|return|returns|yield|roi|sharpe|drawdown|payoff|reward)\b/,
  /\b(alpha|edge|opportunity|opportunities|conviction|setup|bargain|cheap|expensive|undervalued|overvalued|oversold|overbought)\b/,
  /\b(bullish|bearish|upside|downside|rally|breakout|breakdown|reversal|resistance|bottom|moon|dump)\b/,
  /\b(signal|signals|forecast|forecasts|predict|predicts|prediction|expect|expects|expected|expectation|likely|unlikely|probably|probability|odds|guarantee\w*)\b/,
  /\b(should|must|ought|will|shall|recommend\w*|advise\w*|advice|advisable|suggests?|consider)\b/,
  /\b(you|your|we|our|traders?|investors?|trading|strategy|strategies|backtest\w*|performance|outperform\w*|execution|execute)\b/,
  /\b(go|get|stay|be) (long|short|flat)\b/,
  /\brisk\b/,
];

/** A text with its path, or its path and `(key)` for a member name. */
export type Reported = readonly [where: string, text: string];

export function* wordsOf(value: unknown, path = ''): Generator<Reported> {
  if (typeof value === 'string') yield [path, value];
  else if (Array.isArray(value)) for (const [i, item] of (value as readonly unknown[]).entries()) yield* wordsOf(item, `${path}[${i}]`);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield [`${path}.${name} (key)`, name];
      yield* wordsOf(member, `${path}.${name}`);
    }
  }
}

/** Texts with forbidden words, with their path and the words found. */
export function wordingFaults(reported: Iterable<Reported>): readonly string[] {
  const judged = new Map<string, readonly string[]>();
  const faults: string[] = [];
  for (const [where, text] of reported) {
    const found = judged.get(text) ?? forbiddenIn(text);
    judged.set(text, found);
    if (found.length > 0) faults.push(`${where}: ${found.join(', ')} in "${text}"`);
  }
  return faults;
}

function forbiddenIn(text: string): readonly string[] {
  const plain = DESCRIPTIVE.reduce((rest, pattern) => rest.replace(pattern, ' · '), asWords(withoutFixed(text)));
  return FORBIDDEN.flatMap((pattern) => pattern.exec(plain)?.[0] ?? []);
}

function withoutFixed(text: string): string {
  return FIXED.reduce((rest, fixed) => rest.replace(new RegExp(`(?<![a-z_])${fixed}(?![a-z_])`, 'g'), ' · '), text);
}

function asWords(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll('_', ' ');
}
