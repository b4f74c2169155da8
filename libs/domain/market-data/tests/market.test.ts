import fc from 'fast-check';
import { MARKET_FORM, marketOf, readMarket } from '../src/index';

const symbols = fc.stringMatching(/^[A-Z0-9]{1,20}USD-PERP$/);
const venueNames = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,39}$/);

it('a market has the symbol and venue that it was made of, and only the primary venue is left out', () => {
  fc.assert(
    fc.property(symbols, venueNames, venueNames, (symbol, venue, primary) => {
      const market = marketOf(symbol, venue, primary);
      expect(market).toMatch(MARKET_FORM);
      expect(readMarket(market)).toEqual(venue === primary ? { symbol } : { symbol, venue });
    }),
  );
});

it('two markets have one key only if symbol and venue are equal', () => {
  fc.assert(
    fc.property(symbols, symbols, venueNames, venueNames, venueNames, (a, b, venueA, venueB, primary) => {
      const isSame = a === b && venueA === venueB;
      expect(marketOf(a, venueA, primary) === marketOf(b, venueB, primary)).toBe(isSame);
    }),
  );
});

it('a market at its primary venue has the key of its symbol', () => {
  expect(marketOf('BTCUSD-PERP', 'okx', 'okx')).toBe('BTCUSD-PERP');
  expect(marketOf('BTCUSD-PERP', 'okx', 'hyperliquid')).toBe('BTCUSD-PERP@okx');
});
