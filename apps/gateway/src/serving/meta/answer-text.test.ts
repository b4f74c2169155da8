import { answerText } from './answer-text';

test('answers name a market by symbol and venue, also inside, and else keep their bytes', () => {
  const plain = { symbol: 'BTCUSD-PERP', rows: [{ symbol: 'ETHUSD-PERP', venue: 'okx' }] };
  expect(answerText(plain)).toBe(JSON.stringify(plain));
  const answer = {
    symbol: 'BTCUSD-PERP@okx',
    rows: [{ symbol: 'BTCUSD-PERP@okx', venue: 'okx', n: 1 }, plain],
    symbols: ['BTCUSD-PERP@okx'],
  };
  expect(JSON.parse(answerText(answer))).toEqual({
    symbol: 'BTCUSD-PERP',
    venue: 'okx',
    rows: [{ symbol: 'BTCUSD-PERP', venue: 'okx', n: 1 }, plain],
    symbols: ['BTCUSD-PERP@okx'],
  });
});
