import { Problem } from '../errors/problem';
import { SESSION_COOKIE, refuseCrossSite, type SiteRule, siteRuleOf, allowedOrigins, takesSecureCookies } from './authorise';

const OWN = 'https://api.example.com';
const PORTAL = 'https://portal.example.com';
const JSON_TYPE = 'application/json';
const allowed = allowedOrigins(() => `${OWN}/market`, [PORTAL]);

/** Media type, Sec-Fetch-Site, Origin, and whether a change by cookie is allowed. */
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

/** The one case without browser headers: enough to open a session, not to change something by cookie. */
const PLAIN_CLIENT = CASES[5];

function passes(rule: SiteRule, mediaType?: string, site?: string, origin?: string, cookie?: string): boolean {
  try {
    refuseCrossSite(rule, { 'content-type': mediaType, 'sec-fetch-site': site, origin, cookie }, allowed);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ code: 'csrf_refused', status: 403 });
    return false;
  }
}

describe.each(CASES)('media type %j, Sec-Fetch-Site %j, Origin %j', (mediaType, site, origin, good) => {
  const isPlainClient = PLAIN_CLIENT?.[0] === mediaType && site === undefined && origin === undefined;

  it(`lets a change by cookie through: ${good}`, () => {
    expect(passes('change', mediaType, site, origin, `${SESSION_COOKIE}=x`)).toBe(good);
    expect(passes('change', mediaType, site, origin)).toBe(good);
  });

  it('opens a session under the same rule, and for a plain client without a session cookie', () => {
    expect(passes('open_session', mediaType, site, origin)).toBe(good || isPlainClient);
    expect(passes('open_session', mediaType, site, origin, 'theme=dark; other=1')).toBe(good || isPlainClient);
    expect(passes('open_session', mediaType, site, origin, `theme=dark; ${SESSION_COOKIE}=`)).toBe(good);
    expect(passes('open_session', mediaType, site, origin, `${SESSION_COOKIE}=x`)).toBe(good);
  });

  it('lets a read by cookie through unless it is cross-site', () => {
    expect(passes('read', mediaType, site, origin, `${SESSION_COOKIE}=x`)).toBe(site !== 'cross-site');
  });

  it('lets an upgrade by cookie through from an allowed origin, and outside a browser', () => {
    const isAllowed = origin === undefined ? site === undefined : allowed().has(origin);
    const isOwn = site === 'same-origin' || (site !== 'cross-site' && isAllowed);
    expect(passes('upgrade', mediaType, site, origin, `${SESSION_COOKIE}=x`)).toBe(isOwn);
  });
});

it.each(['text/plain', 'application/x-www-form-urlencoded'])('opens no session for a plain client that sends %s', (mediaType) => {
  expect(passes('open_session', mediaType)).toBe(false);
});

it('leaves a call of a plain client without media type and body to the check of its body', () => {
  expect(passes('open_session')).toBe(true);
  expect(passes('open_session', undefined, undefined, undefined, `${SESSION_COOKIE}=x`)).toBe(false);
  expect(() => refuseCrossSite('open_session', { 'content-length': '2' }, allowed)).toThrow(Problem);
  expect(() => refuseCrossSite('open_session', { 'transfer-encoding': 'chunked' }, allowed)).toThrow(Problem);
});

it('asks nothing of a call by key, and of each call by cookie what it does', () => {
  const rules = (['logIn', 'claimAccount', 'getMe', 'createKey'] as const).map((operationId) => {
    const method = operationId === 'getMe' ? 'get' : 'post';
    return [
      siteRuleOf({ method, operationId }, null),
      siteRuleOf({ method, operationId }, { kind: 'key' }),
      siteRuleOf({ method, operationId }, { kind: 'session' }),
    ];
  });
  expect(siteRuleOf({ method: 'get', operationId: 'streamPackets' }, { kind: 'session' }, true)).toBe('upgrade');
  expect(siteRuleOf({ method: 'get', operationId: 'streamPackets' }, { kind: 'key' }, true)).toBe('none');
  expect(rules).toEqual([
    ['open_session', 'open_session', 'open_session'],
    ['open_session', 'open_session', 'open_session'],
    ['none', 'none', 'read'],
    ['none', 'none', 'change'],
  ]);
});

it('takes every spelling of loopback for the own origin there', () => {
  const local = allowedOrigins(() => 'http://127.0.0.1:8080', [])();
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
