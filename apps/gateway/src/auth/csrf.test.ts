import { Problem } from '../http/problem';
import { refuseCrossSite } from './csrf';
import { allowedOrigins, takesSecureCookies } from './own-origins';

const OWN = 'https://api.example.com';
const PORTAL = 'https://portal.example.com';
const JSON_TYPE = 'application/json';
const allowed = allowedOrigins(`${OWN}/market`, [PORTAL]);

/** Media type, Sec-Fetch-Site, Origin, and whether the call is let through. */
const CASES: readonly [string | undefined, string | undefined, string | undefined, boolean][] = [
  [JSON_TYPE, 'same-origin', undefined, true],
  [JSON_TYPE, 'same-origin', OWN, true],
  ['application/json; charset=utf-8', 'same-origin', OWN, true],
  [JSON_TYPE, undefined, OWN, true],
  [JSON_TYPE, undefined, PORTAL, true],
  [JSON_TYPE, undefined, undefined, false],
  [JSON_TYPE, undefined, 'null', false],
  [JSON_TYPE, undefined, '', false],
  [JSON_TYPE, undefined, 'https://evil.example', false],
  [JSON_TYPE, undefined, 'http://api.example.com', false],
  [JSON_TYPE, undefined, `${OWN}:8443`, false],
  [JSON_TYPE, undefined, `${OWN}.evil.example`, false],
  [JSON_TYPE, undefined, `${OWN}/`, false],
  [JSON_TYPE, 'same-site', OWN, false],
  [JSON_TYPE, 'cross-site', OWN, false],
  [JSON_TYPE, 'cross-site', PORTAL, false],
  [JSON_TYPE, 'none', OWN, false],
  [JSON_TYPE, '', OWN, false],
  [JSON_TYPE, 'SAME-ORIGIN', OWN, false],
  [undefined, 'same-origin', OWN, false],
  ['text/plain', 'same-origin', OWN, false],
  ['application/x-www-form-urlencoded', 'same-origin', OWN, false],
  ['multipart/form-data; boundary=x', undefined, OWN, false],
  ['text/plain; application/json', undefined, OWN, false],
];

it('has 24 cases', () => {
  expect(CASES).toHaveLength(24);
});

it.each(CASES)('media type %j, Sec-Fetch-Site %j, Origin %j: let through %j', (mediaType, site, origin, passes) => {
  const call = (): void => refuseCrossSite({ 'content-type': mediaType, 'sec-fetch-site': site, origin }, allowed);
  if (passes) expect(call).not.toThrow();
  else expect(call).toThrow(Problem);
});

it('takes every spelling of loopback for the own origin there', () => {
  const local = allowedOrigins('http://127.0.0.1:8080', []);
  expect(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'].every((origin) => local.has(origin))).toBe(true);
  expect(local.has('http://localhost:8081')).toBe(false);
});

it.each([
  ['https://api.example.com', '127.0.0.1', true],
  ['http://api.example.com', '127.0.0.1', true],
  ['https://localhost', '127.0.0.1', true],
  ['http://localhost:8080', '127.0.0.1', false],
  ['http://[::1]:8080', '0.0.0.0', false],
  [undefined, '127.0.0.1', false],
  [undefined, '::1', false],
  [undefined, '0.0.0.0', true],
])('reached at %s, listening on %s, cookies are Secure: %s', (url, host, secure) => {
  expect(takesSecureCookies(url, host)).toBe(secure);
});
