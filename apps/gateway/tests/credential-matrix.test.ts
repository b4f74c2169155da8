import { account as accountContract } from '@market-state/contracts';
import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { openApiDocument } from '../src/serving/openapi/document';
import { type Operation, operationById, operations } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { answersWithEvents, goodRequest, NEEDS_SESSION, seedGoodRequests, seedPackets } from './stand-in/good-requests';

const { Scope } = accountContract;

/** Operations without a credential, other than previews, documents and probes: section 2 of the API page. */
const OPEN_ACCOUNT = [
  'claimAccount',
  'logIn',
  'getSignInOptions',
  'beginOidcLogin',
  'finishOidcLogin',
  'requestPasswordReset',
  'confirmPasswordReset',
  'acceptInvitation',
  'createSandboxKey',
  'receiveBillingEvent',
  'unsubscribe',
];
const NEEDS_CREDENTIAL_IN_DEMO = ['getPacketConstruction', 'getProofBrowser'];

/** Credentials of a route on the API page. */
function promised({ path, operationId }: Operation): Operation['credential'] {
  if (path.startsWith('/api/public/data/') || path === '/mcp') return 'key';
  if (OPEN_ACCOUNT.includes(operationId)) return 'none';
  if (!path.startsWith('/api/public/market-state/') || path.endsWith('openapi.json')) return 'none';
  if (path.includes('/demo/')) return NEEDS_CREDENTIAL_IN_DEMO.includes(operationId) ? 'key_or_session' : 'none';
  return 'key_or_session';
}

const EACH = operations.map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation] as const);
const WINDOW_END_MS = lastWindowEndMs();

describe('who opens what', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
    seedPackets(booted.labeling, WINDOW_END_MS);
    booted.account.openSession('other@example.com');
  });
  afterAll(() => booted.close());

  /** Status of a valid request with these headers; streams are not read. */
  async function status(operation: Operation, headers: Readonly<Record<string, string>>): Promise<number> {
    seedGoodRequests(booted.account);
    const { path, ...request } = goodRequest(operation, WINDOW_END_MS);
    const method = answersWithEvents(operation) ? 'HEAD' : request.method;
    return (await booted.get(path, { ...request, method, headers: { ...request.headers, ...headers } })).status;
  }

  it('covers every operation of the document', () => {
    expect(EACH).toHaveLength(Object.values(openApiDocument.paths).flatMap((methods) => Object.keys(methods)).length);
    expect(EACH.length).toBeGreaterThanOrEqual(105);
  });

  it.each(EACH)('%s is opened by what the API page says', (_name, operation) => {
    expect(operation.credential).toBe(promised(operation));
  });

  it.each(EACH.filter(([, { credential }]) => credential !== 'none'))(
    '%s: 401 to none, to an unknown key and to an unknown session, 403 to a key without the scope',
    async (_name, operation) => {
      const lacking = booted.account.issue({
        scopes: [Scope.READ, Scope.EXPORT, Scope.AUTOMATION, Scope.ACCOUNT].filter(
          (scope) => scope !== `SCOPE_${operation.scope.toUpperCase()}`,
        ),
      });
      expect(await status(operation, {})).toBe(401);
      expect(await status(operation, { 'x-market-state-api-key': booted.account.unknownKey() })).toBe(401);
      expect(await status(operation, { cookie: `${SESSION_COOKIE}=${'A'.repeat(43)}` })).toBe(401);
      expect(await status(operation, { 'x-market-state-api-key': lacking })).toBe(403);
    },
  );

  it.each(EACH.filter(([, { credential, operationId }]) => credential !== 'none' && operationId !== 'logOut'))(
    '%s is served to a key and, where promised, to a session; a bad key is not made good by a cookie',
    async (_name, operation) => {
      const cookie = `${SESSION_COOKIE}=${booted.account.openSession()}`;
      // Every other one is tested with a key in the cross-site tests.
      if (operation.credential === 'key') expect(await status(operation, { 'x-market-state-api-key': booted.key })).toBe(200);
      expect(await status(operation, { cookie })).toBe(operation.credential === 'key' ? 401 : 200);
      expect(await status(operation, { cookie, 'x-market-state-api-key': 'junk' })).toBe(401);
    },
  );

  it.each(EACH.filter(([, { credential, method }]) => credential === 'key_or_session' && method !== 'get'))(
    '%s by a session from another site is refused, by a key it is not',
    async (_name, operation) => {
      const cookie = `${SESSION_COOKIE}=${booted.account.openSession()}`;
      const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
      expect(await status(operation, { cookie, ...elsewhere })).toBe(403);
      const byKey = NEEDS_SESSION.has(operation.operationId) ? 409 : 200;
      expect(await status(operation, { 'x-market-state-api-key': booted.key, ...elsewhere })).toBe(byKey);
    },
  );

  it.each(EACH.filter(([, { credential, method }]) => credential === 'key_or_session' && method === 'get'))(
    '%s by a session for another site is refused, by a key it is not',
    async (_name, operation) => {
      const cookie = `${SESSION_COOKIE}=${booted.account.openSession()}`;
      const elsewhere = { 'sec-fetch-site': 'cross-site' };
      expect(await status(operation, { cookie, ...elsewhere })).toBe(403);
      expect(await status(operation, { 'x-market-state-api-key': booted.key, ...elsewhere })).toBe(200);
    },
  );

  it.each(['getLatest', 'getBookL2Latest'])('%s: 401 to a malformed key and to a malformed session', async (operationId) => {
    expect(await status(operationById(operationId), { 'x-market-state-api-key': 'junk' })).toBe(401);
    expect(await status(operationById(operationId), { cookie: `${SESSION_COOKIE}=junk` })).toBe(401);
  });

  it('charges nothing for a read by a session for another site', async () => {
    const headers = { cookie: `${SESSION_COOKIE}=${booted.account.openSession('pays@example.com', 'ten_site')}` };
    const read = (further: Readonly<Record<string, string>> = {}) =>
      booted.get('/api/public/market-state/latest?symbol=BTCUSD-PERP', { headers: { ...headers, ...further } });
    const before = Number((await read()).headers['x-credits-remaining']);
    const refused = await read({ 'sec-fetch-site': 'cross-site' });
    expect([refused.status, refused.headers['x-credits-charged']]).toEqual([403, undefined]);
    expect(refused.json()).toMatchObject({ code: 'csrf_refused' });
    const after = await read({ 'sec-fetch-site': 'same-site' });
    expect(Number(after.headers['x-credits-remaining'])).toBe(before - Number(after.headers['x-credits-charged']));
  });

  it('says in meta that a session opened it', async () => {
    const headers = { cookie: `${SESSION_COOKIE}=${booted.account.openSession()}` };
    const { meta } = (await booted.get('/api/public/market-state/latest', { headers })).json<{ meta: { response_semantics: object } }>();
    expect(meta.response_semantics).toMatchObject({ auth_state: 'account_session' });
  });
});
