import { type BootedGateway, bootGateway } from './stand-in/boot';
import { http, type RawResponse } from './stand-in/http-client';

const BOOK = '/api/public/data/book/l2/latest';
const CANDLES = '/api/public/data/candles';
const CLAIM = '/api/public/market-state/account/auth/claim';
const RESET = '/api/public/market-state/account/auth/password-reset/request';

interface Item {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

function items(response: RawResponse): Item[] {
  expect(response.status).toBe(422);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(Object.keys(response.json())).toEqual(['detail', 'fault_total']);
  const { detail, fault_total } = response.json<{ detail: Item[]; fault_total: number }>();
  expect(detail).toHaveLength(Math.min(fault_total, 50));
  for (const item of detail) {
    expect(Object.keys(item)).toEqual(['loc', 'msg', 'type']);
    expect(JSON.stringify(item)).not.toMatch(/openapi|ajv|express/i);
  }
  return detail;
}

function places(response: RawResponse): string[] {
  return items(response)
    .map(({ loc }) => loc.join('.'))
    .sort();
}

describe('validation', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    booted.get(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    });

  it('reports every fault of a query together, including unknown and repeated parameters', async () => {
    const response = await booted.keyed(`${BOOK}?symbol=btc&depth=1001&unknown=1&__proto__=1`);
    expect(places(response)).toEqual(['query.__proto__', 'query.depth', 'query.symbol', 'query.unknown']);
    expect(places(await booted.keyed(`${CANDLES}?symbol=x&tf=2m&from=yesterday&to=9&to=10`))).toEqual([
      'query.from',
      'query.symbol',
      'query.tf',
      'query.to',
    ]);
  });

  it.each([
    ['depth=0', 'query.depth'],
    ['depth=1001', 'query.depth'],
    ['depth=0x10', 'query.depth'],
    ['depth=1e2', 'query.depth'],
    ['depth=', 'query.depth'],
    ['depth=10&depth=10', 'query.depth'],
    ['symbol=', 'query.symbol'],
    ['symbol=ALL', 'query.symbol'],
    ['symbol=BTCUSD-PERP%20', 'query.symbol'],
    ['constructor=1', 'query.constructor'],
  ])('refuses %s', async (query, place) => {
    expect(places(await booted.keyed(`${BOOK}?${query}`))).toEqual([place]);
  });

  it.each([
    'from=2026-01-01T00:00:00Z',
    'from=1767225600000',
    'from=',
    'from=2026-01-01T00:00:00.5%2B02:00&to=2026-01-02T00:00:00Z',
    'tf=1m',
  ])('accepts %s', async (query) => {
    expect((await booted.keyed(`${CANDLES}?${query}`)).status).toBe(200);
  });

  it.each(['from=2026-01-01', 'from=2026-02-30T00:00:00Z', 'from=12.5', 'from=-5'])('refuses %s', async (query) => {
    expect(places(await booted.keyed(`${CANDLES}?${query}`))).toEqual(['query.from']);
  });

  it('refuses a window that ends before it starts', async () => {
    expect(items(await booted.keyed(`${CANDLES}?from=2000&to=2000`))).toEqual([
      { loc: ['query', 'from'], msg: 'must be before to', type: 'window' },
    ]);
  });

  it.each([
    ['/api/public/data/candles', 'tf'],
    ['/api/public/data/gaps', 'limit'],
    ['/api/public/data/replay/window', 'channels'],
  ])('reports a malformed cursor of %s with every other fault', async (path, other) => {
    const response = await booted.keyed(`${path}?symbol=FOO&cursor=abc&${other}=x`);
    expect(places(response)).toEqual(['query.cursor', `query.${other}`, 'query.symbol'].sort());
  });

  it('says what a symbol looks like and which are served', async () => {
    const [item] = items(await booted.keyed(`${BOOK}?symbol=FOO`));
    expect(item?.msg).toMatch(/^must look like BTCUSD-PERP: .*USD-PERP\. Served: BTCUSD-PERP, /);
    expect(item?.msg).not.toMatch(/pattern|\^/);
  });

  it.each(['abc', Buffer.from('["none"]').toString('base64url'), Buffer.from('["c1","none"]').toString('base64url')])(
    'reports the foreign cursor %s by its public name',
    async (cursor) => {
      const [item, ...others] = items(await booted.keyed(`${CANDLES}?cursor=${cursor}`));
      expect(others).toEqual([]);
      expect(item).toMatchObject({ loc: ['query', 'cursor'], msg: expect.stringContaining('next_cursor') });
      expect(JSON.stringify(item)).not.toContain('page_token');
    },
  );

  it('says in words what an instant, a body and a missing body must be', async () => {
    expect(items(await booted.keyed(`${CANDLES}?from=2026-01-01T00:00:00+02:00`))[0]?.msg).toMatch(
      /RFC 3339.*Z or an offset.*%2B.*milliseconds since the epoch, or empty$/,
    );
    expect(items(await booted.get(RESET, { method: 'POST' }))).toEqual([
      { loc: ['body'], msg: 'is required: send a JSON body', type: 'required' },
    ]);
    expect(items(await post(CLAIM, []))[0]?.msg).toBe('must be an object');
    expect(items(await post('/api/public/data/export/jobs', [], { 'x-market-state-api-key': booted.key }))[0]?.msg).toBe(
      'must be an object or null',
    );
  });

  it('cuts very long names of the caller, but keeps two of them distinct', async () => {
    const long = 'n'.repeat(300);
    const found = items(await booted.keyed(`${BOOK}?${long}a=1&${long}b=1`));
    expect(found).toEqual(
      Array.from({ length: 2 }, () => ({
        loc: ['query', `${'n'.repeat(64)}…`],
        msg: 'is not a parameter of this route',
        type: 'unknown_parameter',
      })),
    );
  });

  it('lists the timeframes when one is none of them', async () => {
    expect(items(await booted.keyed(`${CANDLES}?tf=3m`))[0]?.msg).toContain('1m, 5m, 15m, 1h, 4h, 1d');
  });

  it('refuses a query over 2 KiB and one with over 32 parameters', async () => {
    expect(items(await booted.keyed(`${CANDLES}?cursor=${'a'.repeat(2_100)}`)).map(({ type }) => type)).toContain('query_too_long');
    const many = Array.from({ length: 33 }, (_parameter, index) => `p${index}=1`).join('&');
    expect(items(await booted.keyed(`${BOOK}?${many}`)).map(({ type }) => type)).toContain('too_many_parameters');
  });

  it('reports faults of query, header, path and body together', async () => {
    const response = await post(
      '/api/public/data/export/jobs?x=1',
      { dataset: 'all', symbols: ['BTCUSD-PERP', 'x'] },
      { 'x-market-state-api-key': booted.key, 'idempotency-key': 'a b' },
    );
    expect(items(response).map(({ loc }) => loc)).toEqual(
      expect.arrayContaining([
        ['query', 'x'],
        ['header', 'idempotency-key'],
        ['body', 'dataset'],
        ['body', 'symbols', 1],
      ]),
    );
  });

  it.each([
    [{ email: 'a@b.c', password: 'x'.repeat(11) }, ['body.password']],
    [{ email: 'ab', password: 'x'.repeat(257), extra: 1 }, ['body.email', 'body.extra', 'body.password']],
    [{}, ['body.email', 'body.password']],
    [[], ['body']],
    [null, ['body']],
    [{ email: 'a@b.c', password: 'x'.repeat(12), 'a/b': 1 }, ['body.a/b']],
    [{ email: 'a@b.c', password: 'x'.repeat(12), api_key: 'x'.repeat(513) }, ['body.api_key']],
  ])('refuses the claim body %j', async (body, expected) => {
    expect(places(await post(CLAIM, body))).toEqual(expected);
  });

  it('refuses keys that could reach a prototype, at any depth', async () => {
    const response = await booted.get(CLAIM, {
      method: 'POST',
      body: '{"email":"a@b.c","password":"xxxxxxxxxxxx","__proto__":{"a":1}}',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    });
    expect(items(response)).toEqual([{ loc: ['body', '__proto__'], msg: 'is never allowed as a name', type: 'forbidden_key' }]);
  });

  it('refuses text that is not whole, in values and in names', async () => {
    const body = '{"email":"a@b.c","password":"correct horse \\ud83d","\\ud83d":1}';
    const response = await booted.get(CLAIM, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    });
    expect(items(response).filter(({ type }) => type === 'ill_formed_text')).toEqual([
      { loc: ['body'], msg: 'has a name that contains half of a character (a lone surrogate)', type: 'ill_formed_text' },
      { loc: ['body', 'password'], msg: 'contains half of a character (a lone surrogate)', type: 'ill_formed_text' },
    ]);
  });

  it('refuses a number too large to hold, also where further fields are allowed', async () => {
    const headers = { 'content-type': 'application/json', 'x-market-state-api-key': booted.key, 'idempotency-key': 'large' };
    const response = await booted.get('/api/public/market-state/account/billing/checkout-session', {
      method: 'POST',
      body: '{"plan_id":"topup","weight":1e999}',
      headers,
    });
    expect(items(response)).toEqual([{ loc: ['body', 'weight'], msg: 'is too large for a number', type: 'out_of_range' }]);
  });

  it('refuses a body nested deeper than 32 levels and one with over 1,000 values', async () => {
    const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
    const tooDeep = await booted.get('/api/public/data/export/jobs', {
      method: 'POST',
      body: deep,
      headers: { 'content-type': 'application/json', 'x-market-state-api-key': booted.key },
    });
    expect(items(tooDeep).map(({ type }) => type)).toEqual(['too_deep']);
    const wide = Object.fromEntries(Array.from({ length: 1_001 }, (_key, index) => [`k${index}`, 1]));
    expect(
      items(await post('/api/public/data/export/jobs', wide, { 'x-market-state-api-key': booted.key })).map(({ type }) => type),
    ).toEqual(['too_many_values']);
  });

  it('answers 64 KiB of list items, eight at once, and 64 KiB of unknown fields, 25 at once, by one fault each', async () => {
    const list = { name: 'n', scopes: Array.from({ length: 21_000 }, () => 1) };
    const lists = await Promise.all(
      Array.from({ length: 8 }, () => post('/api/public/market-state/account/keys', list, { 'x-market-state-api-key': booted.key })),
    );
    const fields = Object.fromEntries(Array.from({ length: 5_500 }, (_field, index) => [`k${index}`, 1]));
    const logins = await Promise.all(Array.from({ length: 25 }, () => post('/api/public/market-state/account/auth/login', fields)));
    for (const response of [...lists, ...logins]) {
      expect(items(response)).toEqual([
        { loc: ['body'], msg: 'has more than 1000 values (fields and list items together)', type: 'too_many_values' },
      ]);
      expect(response.bytes.length).toBeLessThan(1_000);
    }
  });

  it('lists 50 of many faults, and their total', async () => {
    const fields = Object.fromEntries(Array.from({ length: 900 }, (_field, index) => [`k${index}`, 1]));
    const response = await post('/api/public/market-state/account/auth/login', { ...fields, email: 'a@example.com', password: 'x' });
    expect(items(response)).toHaveLength(50);
    expect(response.json()).toMatchObject({ fault_total: 900 });
  });

  it('counts a caller without a key by its address before it reads what it sends', async () => {
    const { gateway, close } = await bootGateway({ packets: false, config: { publicRate: { perMinute: 1, burst: 1 } } });
    const send = () => http(`${gateway.url}${RESET}`, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } });
    expect([(await send()).status, (await send()).status]).toEqual([400, 429]);
    await close();
  });

  it('refuses a request without the body it needs', async () => {
    expect(places(await booted.get(RESET, { method: 'POST' }))).toEqual(['body']);
  });

  it('lets further fields of a checkout through', async () => {
    expect(
      (
        await post(
          '/api/public/market-state/account/billing/checkout-session',
          { plan_id: 'topup', campaign: 'x' },
          { 'x-market-state-api-key': booted.key },
        )
      ).status,
    ).toBe(200);
  });
});
