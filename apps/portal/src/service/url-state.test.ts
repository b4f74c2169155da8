import { readUrlValue, urlList, urlText, urlWord, withOpen, withUrlValue } from './url-state';

const order = urlWord(['symbol', 'age'], 'symbol');

test('a value is read as it was written, and the usual one leaves no trace in the address', () => {
  const params = withUrlValue(
    withUrlValue(new URLSearchParams('pin=BTCUSD-PERP'), 'sort', order, 'age'),
    'filter',
    urlText(),
    'depth watch',
  );
  expect(String(params)).toBe('pin=BTCUSD-PERP&sort=age&filter=depth+watch');
  expect(readUrlValue(params, 'sort', order)).toBe('age');
  expect(readUrlValue(params, 'pin', urlList)).toEqual(['BTCUSD-PERP']);
  expect(String(withUrlValue(params, 'sort', order, 'symbol'))).toBe('pin=BTCUSD-PERP&filter=depth+watch');
});

test('a word that an address cannot have is the usual one', () => {
  expect(readUrlValue(new URLSearchParams('sort=profit'), 'sort', order)).toBe('symbol');
});

test('parts are opened and closed in an address each by itself', () => {
  const both = withOpen(withOpen(new URLSearchParams('speed=1'), 'ledger', true), 'packets', true);
  expect(String(both)).toBe('speed=1&open=ledger%2Cpackets');
  expect(String(withOpen(both, 'packets', true))).toBe(String(both));
  expect(String(withOpen(both, 'ledger', false))).toBe('speed=1&open=packets');
  expect(String(withOpen(withOpen(both, 'ledger', false), 'packets', false))).toBe('speed=1');
});
