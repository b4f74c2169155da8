import * as client from '../src';
import { factsOf, type OperationFacts } from '../src/call/request';
import { operations } from '../src/generated/operations';
import type { OperationId } from '../src/types';
import { clientWith, json, problem, type Sent } from './fake-fetch';

const CHARGED = { 'x-credits-charged': '5', 'x-credits-remaining': '95', 'x-receipt-id': 'rcp_1', etag: '"a"' };

test('gives the body of an answer and what it has cost', async () => {
  const { ms, sent } = clientWith([json({ rows: [] }, 200, CHARGED)]);
  const { data, call } = await ms.latest.get({ symbol: 'ETHUSD-PERP' });
  expect(data).toEqual({ rows: [] });
  expect(call).toEqual({
    requestId: sent[0]?.headers.get('x-request-id'),
    status: 200,
    charged: 5,
    remaining: 95,
    receiptId: 'rcp_1',
    attempts: 1,
    etag: '"a"',
  });
  expect(sent[0]?.url.href).toBe('http://ms.test/api/public/market-state/latest?symbol=ETHUSD-PERP');
});

test('sends the bound only with metered calls, and the key with every call that needs a credential', async () => {
  const { ms, sent } = clientWith([json({}, 200)], { maxCreditsPerCall: 60 });
  const facts = (Object.keys(operations) as OperationId[]).map((id) => factsOf(id));
  const inPaths = facts.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x']));
  const params = { limit: 1, depth: 1, ...Object.fromEntries(inPaths) };
  for (const ask of methodsOf(ms)) await ask(params);
  const operationOf = ({ method, url }: Sent): OperationFacts | undefined =>
    facts.find((each) => each.method === method && new RegExp(`^${each.path.replace(/\{\w+\}/g, 'x')}$`).test(url.pathname));
  const requested = sent.map((request) => [operationOf(request), request] as const);
  expect(new Set(requested.map(([operation]) => operation?.path)).size).toBe(new Set(facts.map(({ path }) => path)).size);
  for (const [operation, { headers }] of requested)
    expect([operation?.path, headers.has('x-max-credits'), headers.has('x-market-state-api-key')]).toEqual([
      operation?.path,
      operation?.price !== undefined,
      operation?.open !== true,
    ]);
});

/** Every generated method of a client, as it is sent. */
function methodsOf(ms: client.MarketState): ((params: object) => Promise<unknown>)[] {
  const generatedOf = (value: object | null): object | undefined => {
    const prototype = value && (Object.getPrototypeOf(value) as object | null);
    return prototype === null || prototype.constructor.name.endsWith('Operations') ? (prototype ?? undefined) : generatedOf(prototype);
  };
  const groups = Object.values(ms).filter((value: unknown) => typeof value === 'object' && generatedOf(value) !== undefined);
  return groups.flatMap((group: Record<string, (params: object) => unknown>) => {
    const generated = generatedOf(group as object) ?? {};
    const names = Object.getOwnPropertyNames(generated).filter((name) => name !== 'constructor' && !/rows$/i.test(name));
    return names.map((name) => async (params: object) => {
      const requested = group[name]?.(params) as Promise<unknown> | AsyncGenerator;
      return Symbol.asyncIterator in requested ? requested.next().catch(() => undefined) : requested;
    });
  });
}

test.each([
  [401, 'UnauthorizedError'],
  [402, 'PaymentRequiredError'],
  [403, 'ForbiddenError'],
  [404, 'NotFoundError'],
  [405, 'ProblemError'],
  [409, 'ConflictError'],
  [410, 'GoneError'],
  [413, 'ProblemError'],
  [500, 'ServerError'],
])('throws once, and never again sends, what is refused with %i: %s', async (status, name) => {
  const { ms, sent } = clientWith([problem(status, 'some_code')]);
  const thrown = (await ms.latest.get().catch((error: unknown) => error)) as client.ProblemError;
  expect(thrown).toBeInstanceOf(client[name as 'ProblemError']);
  expect(thrown).toMatchObject({
    name,
    status,
    code: 'some_code',
    title: 'Title',
    detail: 'A sentence.',
    docs: '/docs',
    retryAfterMs: null,
    attempts: 1,
  });
  expect(sent).toHaveLength(1);
});

test('lists every fault of a 422, and names the oldest instant of a 410', async () => {
  const faults = [{ loc: ['query', 'depth'], msg: 'must be <= 1000', type: 'maximum' }];
  const invalid = (await clientWith([json({ detail: faults }, 422)])
    .ms.book.latest({ depth: 5_000 })
    .catch((error: unknown) => error)) as client.InvalidError;
  expect([invalid.name, invalid.faults, invalid.detail]).toEqual(['InvalidError', faults, 'query.depth must be <= 1000']);
  const oldest = '2026-01-01T00:00:00.000Z';
  const gone = (await clientWith([problem(410, 'beyond_retention', {}, { oldest_available_utc: oldest })])
    .ms.history.get()
    .catch((error: unknown) => error)) as client.GoneError;
  expect([gone.name, gone.oldestUtc]).toEqual(['GoneError', oldest]);
});

describe('repeating', () => {
  const cut = new TypeError('fetch failed');

  test.each([
    ['429', problem(429)],
    ['503', problem(503, 'overloaded', { 'retry-after': '0' })],
    ['504', problem(504)],
    ['a fault of the connection', cut],
    ['an answer that is no JSON', new Response('{"rows":')],
  ])('sends a read again after %s, three times at most, as the same request', async (_name, reply) => {
    const { ms, sent } = clientWith([reply, reply, json({ symbol: 'A' })]);
    const { call } = await ms.latest.get();
    expect(call.attempts).toBe(3);
    expect(new Set(sent.map(({ headers }) => headers.get('x-request-id'))).size).toBe(1);
    const never = clientWith([reply]);
    await expect(never.ms.latest.get()).rejects.toMatchObject({ attempts: 3 });
    expect(never.sent).toHaveLength(3);
  });

  test('sends what changes something again only with an Idempotency-Key, which stays the same', async () => {
    const keyed = clientWith([cut, problem(503), json({})]);
    await keyed.ms.watchlists.create({ name: 'a', symbols: ['BTCUSD-PERP'], rules: [] });
    const keys = keyed.sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^idem_[0-9a-f]{32}$/);
    const bare = clientWith([cut]);
    await expect(bare.ms.watchlists.delete({ watchlist_id: 'w' })).rejects.toBeInstanceOf(client.TransportError);
    expect(bare.sent).toHaveLength(1);
  });

  test('waits as long as it is asked to, and throws at once when that is more than 30 s', async () => {
    jest.useFakeTimers();
    try {
      const { ms, sent } = clientWith([problem(429, 'rate_limited', { 'retry-after': '30' }), json({})]);
      const requested = ms.latest.get();
      await jest.advanceTimersByTimeAsync(29_999);
      expect(sent).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(1);
      expect((await requested).call.attempts).toBe(2);
    } finally {
      jest.useRealTimers();
    }
    const later = clientWith([problem(429, 'rate_limited', { 'retry-after': '31' })]);
    await expect(later.ms.latest.get()).rejects.toMatchObject({ retryAfterMs: 31_000, attempts: 1 });
  });

  test('ends an attempt at its deadline, also in the middle of its answer, and at once when its caller does', async () => {
    const silent = (_sent: unknown, signal: AbortSignal): Promise<Response> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const late = clientWith([silent], { timeoutMs: 5 });
    await expect(late.ms.latest.get()).rejects.toMatchObject({ name: 'TransportError', attempts: 3 });
    const started = (_sent: unknown, signal: AbortSignal): Response =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"rows":'));
            signal.addEventListener('abort', () => controller.error(signal.reason));
          },
        }),
      );
    await expect(clientWith([started], { timeoutMs: 5 }).ms.latest.get()).rejects.toMatchObject({ name: 'TransportError' });
    const stop = new AbortController();
    const stopped = clientWith([silent]);
    const requested = stopped.ms.latest.get({}, { signal: stop.signal });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(requested).rejects.toBe(reason);
    expect(stopped.sent).toHaveLength(1);
  });
});

test('repeats lists and opens objects in a query, and sends what is no part of a path as the body', async () => {
  const { ms, sent } = clientWith([json({})]);
  await ms.events.search({ tag: ['a', 'b'], limit: 5 });
  await ms.usage.simulate({ calls_per_day: { latest_packet: 3 } });
  await ms.keys.update({ key_id: 'key/1', name: 'n' });
  expect(sent.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)).toEqual([
    'GET /api/public/market-state/events/search?tag=a&tag=b&limit=5',
    'GET /api/public/market-state/tiers/simulator?calls_per_day%5Blatest_packet%5D=3',
    'PATCH /api/public/market-state/account/keys/key%2F1',
  ]);
  expect(sent[2]?.body).toEqual({ name: 'n' });
  await expect(ms.events.evidence({ event_id: '' })).rejects.toThrow('event_id is required');
});

test('sends a body that is required even where it says nothing, and no other empty one', async () => {
  const { ms, sent } = clientWith([json({})]);
  await ms.billing.receiveEvent({});
  await ms.billing.openPortal();
  expect(sent.map(({ body }) => body)).toEqual([{}, undefined]);
});

test('gives what is known again when the service says that it is still right', async () => {
  const { ms, sent } = clientWith([json({ a: 1 }, 200, CHARGED), new Response(null, { status: 304, headers: CHARGED })]);
  const known = await ms.latest.get();
  const again = await ms.latest.get({}, { known });
  expect(sent[1]?.headers.get('if-none-match')).toBe('"a"');
  expect(again.data).toBe(known.data);
  expect(again.call).toMatchObject({ status: 304, charged: 5 });
});

test('asks the twins of the data plane where there is a session, also for their quotes', async () => {
  const { ms, sent } = clientWith([json({})], { apiKey: undefined, session: true });
  await ms.book.latest();
  await ms.latest.get();
  await ms.exports.file({ job_id: 'job_1', name: 'a.csv' });
  await ms.quote('listGaps', {});
  await ms.stream
    .data()
    .next()
    .catch(() => undefined);
  const workspace = '/api/public/market-state/workspace/data';
  expect(sent.slice(0, 5).map(({ url }) => url.pathname)).toEqual([
    `${workspace}/book/l2/latest`,
    '/api/public/market-state/latest',
    `${workspace}/export/jobs/job_1/files/a.csv`,
    '/api/public/market-state/usage/estimate',
    `${workspace}/stream`,
  ]);
  expect(sent[3]?.url.searchParams.get('route')).toBe(`${workspace}/gaps`);
});

test('uses the session of a page in place of a key', async () => {
  const { ms, sent } = clientWith([json({})], { apiKey: undefined, session: true });
  await ms.webhooks.enable({ webhook_id: 'we_1' });
  expect(sent[0]?.headers.has('x-market-state-api-key')).toBe(false);
  expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  expect(() => clientWith([], { session: true })).toThrow('not both');
});

test('binds a call to its quote, and lets it cost what was quoted', async () => {
  const estimate = { quote_id: 'q', estimated_market_state_credit_cost: 500, estimated_export_credit_cost: 0, quote_expires_at_utc: 'T' };
  const { ms, sent } = clientWith([json(estimate), json({})], { maxCreditsPerCall: 10 });
  const quote = await ms.quote('replayPackets', { limit: 100 });
  expect([quote.maxCredits, quote.maxExportCredits, quote.expiresAtUtc]).toEqual([500, 0, 'T']);
  await quote.run();
  expect(sent[0]?.url.search).toBe('?limit=100&route=%2Fapi%2Fpublic%2Fmarket-state%2Freplay&method=GET');
  expect(sent[1]?.url.search).toBe('?limit=100');
  expect([sent[1]?.headers.get('x-quote-id'), sent[1]?.headers.get('x-max-credits')]).toEqual(['q', '500']);
});

test('a transport error names the call, without its query, and the innermost reason', async () => {
  const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  const { ms } = clientWith([refused]);
  const error = await ms.latest.get({ symbol: 'ALL' }).catch((thrown: unknown) => thrown);
  const address = 'GET http://ms.test/api/public/market-state/latest';
  expect(error).toMatchObject({ name: 'TransportError', address, cause: refused });
  expect((error as Error).message).toBe(
    `The connection failed before a complete response arrived. ${address}: connect ECONNREFUSED 127.0.0.1:1`,
  );
  const several = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  const other = await clientWith([new TypeError('fetch failed', { cause: several })])
    .ms.latest.get()
    .catch((thrown: unknown) => thrown);
  expect((other as Error).message).toContain(`${address}: ECONNREFUSED`);
});
