import { rowWords } from './row-text';

test('rows keep their decimals as received', () => {
  expect(rowWords({ kind: 'trade', aggressor_side: 'sell', size: '0.830', price: '1502.10' })).toBe('sell 0.830 at 1502.10');
  expect(
    rowWords({
      kind: 'book',
      bids: [
        ['1501.9', '3.08'],
        ['1501.8', '2'],
      ],
      asks: [],
    }),
  ).toBe('2 bids from 1501.9 × 3.08, 0 asks from none');
  expect(rowWords({ kind: 'liquidation', position_side: 'long', size: '0.86', price: '1501.7' })).toBe(
    'long position liquidated: 0.86 at 1501.7',
  );
  expect(rowWords({ kind: 'context', venue: 'x', funding_rate: '0.0001', oracle_price: null })).toBe('funding rate 0.0001');
});
