import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort, startOidcProvider, type TestOidcProvider, withCloser } from '@market-state/testing';
import { createOidcProvider, type OidcSettings } from './provider';

const BASE_URL = 'https://market-state.example';
const CALLBACK = `${BASE_URL}/login`;
const checks = { state: 's'.repeat(43), nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) };
const unavailable = { reason: 'oidc_unavailable' };

let provider: TestOidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider({ redirectUris: [CALLBACK] });
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.fault = null;
});

const settingsOf = (issuer: string): OidcSettings => ({ ...provider, issuer, name: 'Company login', newcomers: null });
const open = (issuer: string, timeoutS?: number) => createOidcProvider(settingsOf(issuer), BASE_URL, timeoutS);

test('a provider that is down, silent or broken is reported within the deadline, and asked again later', async () => {
  await expect(open(`http://127.0.0.1:${await freePort()}`).authorizationUrl(checks)).rejects.toMatchObject({
    ...unavailable,
    detail: expect.stringContaining('ECONNREFUSED'),
  });
  const oidc = open(provider.issuer, 0.2);
  for (const fault of ['silent', 'broken'] as const) {
    provider.fault = fault;
    await expect(oidc.authorizationUrl(checks)).rejects.toMatchObject(unavailable);
  }
  provider.fault = null;
  const callback = await provider.logIn(await oidc.authorizationUrl(checks));
  provider.fault = 'silent';
  await expect(oidc.identify(callback.search.slice(1), checks)).rejects.toMatchObject(unavailable);
});

test("the detail of a refusal has the provider's error code, or its status without one", async () => {
  const other = createOidcProvider({ ...settingsOf(provider.issuer), clientSecret: 'wrong' }, BASE_URL);
  for (const [oidc, query, detail] of [
    [other, 'code=x', '401'],
    [open(provider.issuer), 'code=x', 'invalid_grant'],
    [open(provider.issuer), 'error=access_denied', 'access_denied'],
  ] as const) {
    const refusal = { reason: 'oidc_denied', detail: expect.stringContaining(detail) };
    const answer = `${query}&state=${checks.state}&iss=${encodeURIComponent(provider.issuer)}`;
    await expect(oidc.identify(answer, checks)).rejects.toMatchObject(refusal);
  }
});

test('the provider says who has logged in', async () => {
  const oidc = open(provider.issuer);
  const callback = await provider.logIn(await oidc.authorizationUrl(checks));
  const identity = { issuer: provider.issuer, clientId: provider.clientId, subject: 'ada', verifiedEmail: 'ada@example.org' };
  expect(await oidc.identify(callback.search.slice(1), checks)).toEqual(identity);
});

test('metadata of another issuer, with an address without https, or behind a redirect is refused', () =>
  withCloser(async (closer) => {
    let metadata: Record<string, unknown> | string = {};
    const server = createServer((_req, res) => {
      if (typeof metadata === 'string') res.writeHead(302, { location: metadata }).end();
      else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closer.add('server', () => new Promise<void>((resolve) => server.close(() => resolve())));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const honest = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` };
    for (const [given, fault] of [
      [{ ...honest, issuer: 'https://issuer.example' }, /issuer does not match/],
      [{ ...honest, authorization_endpoint: 'http://issuer.example/auth' }, /names issuer\.example without https/],
      [`${provider.issuer}/.well-known/openid-configuration`, /unexpected HTTP response status/],
    ] as const) {
      metadata = given;
      await expect(open(issuer).authorizationUrl(checks)).rejects.toMatchObject({ ...unavailable, detail: expect.stringMatching(fault) });
    }
    metadata = honest;
    expect(await open(issuer).authorizationUrl(checks)).toContain(`${issuer}/auth?`);
  }));
