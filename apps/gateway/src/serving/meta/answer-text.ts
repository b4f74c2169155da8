import { readMarket } from '@market-state/market-data';

type Named = Readonly<Record<string, unknown>>;

const NAMED_AS_MARKET = /"symbol":"[A-Z0-9]+USD-PERP@/;

/** JSON of an answer, in which objects name a market by `symbol` and `venue`. */
export function answerText(answer: unknown): string {
  const text = JSON.stringify(answer);
  return NAMED_AS_MARKET.test(text) ? JSON.stringify(answer, withSymbolAndVenue) : text;
}

function withSymbolAndVenue(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { symbol: key } = value as Named;
  if (typeof key !== 'string') return value;
  const { symbol, venue } = readMarket(key);
  if (venue === undefined) return value;
  const named: Named = 'venue' in value ? { symbol } : { symbol, venue };
  return Object.fromEntries(Object.entries(value).flatMap((field) => (field[0] === 'symbol' ? Object.entries(named) : [field])));
}
