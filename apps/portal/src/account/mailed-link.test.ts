import { readMailedLink } from './mailed-link';

test('a mailed link yields its token and email, and other addresses yield neither', () => {
  expect(readMailedLink('#claim_token=abc%2Bd&email=a%40b.example', 'claim_token')).toEqual({ token: 'abc+d', email: 'a@b.example' });
  expect(readMailedLink('', 'reset_token')).toEqual({ token: '', email: '' });
});
