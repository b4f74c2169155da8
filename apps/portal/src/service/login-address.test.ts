import { afterLogin, loginAddress } from './login-address';

test('a login leads back to the page that asked for it, and never to another site', () => {
  expect(afterLogin(loginAddress('/packet/evt_1?diff=evt_0').slice('/login'.length))).toBe('/packet/evt_1?diff=evt_0');
  for (const elsewhere of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', ''])
    expect(afterLogin(`?next=${encodeURIComponent(elsewhere)}`)).toBe('/live');
});
