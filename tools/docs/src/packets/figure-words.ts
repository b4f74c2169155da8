import { loadPolicy, type CompositeName, type Packet } from '@market-state/labeler';

/** One decimal more than the packets' thresholds. */
const DECIMALS = 3;
/** Smaller numbers keep three significant digits: a ten-second volatility is 0.00057. */
const SMALL = 0.01;

/** Integers unchanged, others with three decimals, a minus as `−`. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const decimals = size === 0 || size >= SMALL ? DECIMALS : 2 - Math.floor(Math.log10(size));
  const text = value.toFixed(decimals);
  return grouped(text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace('-', '−');
}

/** A score from 0 to 1 with three decimals; `under 0.001` instead of 0. */
export function scoreText(score: number): string {
  const rounded = Number(score.toFixed(DECIMALS));
  return score > 0 && rounded === 0 ? `under ${10 ** -DECIMALS}` : String(rounded);
}

/** `1667132.8` → `1,667,132.8` */
function grouped(text: string): string {
  const [whole = '', decimals] = text.split('.');
  const commas = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? commas : `${commas}.${decimals}`;
}

export const POLICY = loadPolicy();
const { composites, candidates, features } = POLICY.numbers;

/** @throws UnknownTermError if the taxonomy lacks the word */
export function labelOf(kind: string, value: string): string {
  return POLICY.taxonomy.term(kind, value).label;
}

/** `book pressure` → `Book pressure`. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const ABSENCES: Readonly<Record<string, string>> = {
  source_missing: 'not reported',
  no_source: 'not reported',
  not_available: 'not measurable',
};

export const TERMS: Readonly<Record<string, string>> = {
  m180: 'mean lean of five levels over three minutes, −1 asks to 1 bids',
  imb_5: 'lean of five levels at this instant',
  imb_1: 'lean of the best level at this instant',
  held_seconds: 'seconds of the three minutes with a book',
  flow_signed: 'buys minus sells over three minutes, relative to the depth shown, −1 to 1',
  flow_10s: 'the same over the last ten seconds',
  trade_imbalance: 'buys minus sells relative to all trades over three minutes',
  depth_ratio: 'size traded, in multiples of the depth shown once a minute',
  thin: 'depth below the session’s median',
  churn: 'share of book steps in which a best size fell by half without trades',
  wide: `spread relative to the session’s median, 1 at ${1 + features.wide_span} times it`,
  funding_term: `funding, 1 at ${100 * composites.funding_full_per_year} % a year`,
  oi_change_1h: 'change of open interest over one hour',
  open_interest_term: `that change, 1 at ${100 * composites.open_interest_full_change} %`,
  realized_vol_short: 'ten-second volatility of the last thirty steps',
  realized_vol_session: 'the same over the session',
  range_ratio: 'price ranges of the last minutes, in multiples of their half-hour mean',
  sides_agree: 'book and trades lean to the same side',
  activity: 'price ranges of 5 and 30 minutes, in multiples of their usual level',
  newest_lean: 'lean of the newest book to the side of book pressure, −1 to 1',
  crowding_mean: 'mean crowding over up to sixty previous packets',
  crowding_change: `distance from that mean, 1 at ${candidates.crowding_full_change}`,
  crowded_share: 'share of the previous sixty packets at or above watch',
  open: 'open',
  floor: 'the floor state',
  book_seen: 'there is a book',
  book_stale: 'the book is past its staleness limit',
  source_support_ratio: 'source support',
};

export const FLAGS: ReadonlySet<string> = new Set(['sides_agree', 'open', 'book_seen', 'book_stale']);

export function compositesOf(state: Packet['state']): readonly CompositeName[] {
  return POLICY.numbers.state_composites[state];
}

/** `2024-08-08 23:58:20 UTC` */
export function utcText(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')} UTC`;
}

/** Origin of a packet: `Re-timed recording (binance-coinm)`. */
export function originOf({ scope: { venue, source_kind: kind } }: Packet): string {
  const origin = capital(labelOf('source_kinds', kind));
  return kind === venue ? origin : `${origin} (${venue})`;
}
