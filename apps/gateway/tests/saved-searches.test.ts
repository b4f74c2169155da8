import { operationById } from '../src/serving/openapi/operations';
import { openApiDocument } from '../src/serving/openapi/document';
import { type BootedGateway, bootGateway, SYMBOLS } from './stand-in/boot';
import { SIMULATED_SYMBOL } from './stand-in/data-plane';
import type { RawResponse } from './stand-in/http-client';

const BASE = '/api/public/market-state';
const QUERY = { symbol: 'BTCUSD-PERP', severity_class: 'routine_context' };

describe('saved searches', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  const send = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<RawResponse> =>
    booted.keyed(`${BASE}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    });
  const locsOf = (response: RawResponse) => response.json<{ detail: { loc: unknown }[] }>().detail.map(({ loc }) => loc);

  it('are created once for an Idempotency-Key, read, changed and deleted', async () => {
    const made = await send('POST', '/saved-searches', { name: 'calm', query: QUERY }, { 'idempotency-key': 'one' });
    expect(made.status).toBe(200);
    const { saved_search_id: id } = made.json<{ readonly saved_search_id: string }>();
    expect(made.headers['location']).toBe(`${BASE}/saved-searches/${id}`);
    expect(made.json()).toMatchObject({ name: 'calm', query: QUERY, routes: { results: `${BASE}/saved-searches/${id}/results` } });
    const again = await send('POST', '/saved-searches', { name: 'calm', query: QUERY }, { 'idempotency-key': 'one' });
    expect(again.text).toBe(made.text);
    expect((await send('PATCH', `/saved-searches/${id}`, { name: 'quiet' })).json()).toMatchObject({ name: 'quiet', query: QUERY });
    expect((await send('GET', '/saved-searches')).json()).toMatchObject({
      saved_searches: [{ saved_search_id: id, name: 'quiet' }, {}, {}],
    });
    expect((await send('DELETE', `/saved-searches/${id}`)).status).toBe(200);
    expect((await send('GET', `/saved-searches/${id}`)).status).toBe(404);
    expect((await send('GET', `/saved-searches/${id}/results`)).status).toBe(404);
  });

  it('give what an event search with their parameters gives, at the same price', async () => {
    const { saved_search_id: id } = (await send('POST', '/saved-searches', { name: 'calm', query: QUERY })).json<{
      readonly saved_search_id: string;
    }>();
    const [kept, direct] = [
      await send('GET', `/saved-searches/${id}/results?limit=7`),
      await send('GET', `/events/search?symbol=BTCUSD-PERP&severity_class=routine_context&limit=7`),
    ];
    expect([kept.status, direct.status]).toEqual([200, 200]);
    const rowsOf = (answer: RawResponse) => answer.json<{ readonly rows: readonly unknown[]; readonly next_cursor: unknown }>();
    expect(rowsOf(direct).rows.length).toBeGreaterThan(0);
    expect(rowsOf(kept).rows).toEqual(rowsOf(direct).rows);
    expect(rowsOf(kept).next_cursor).toEqual(rowsOf(direct).next_cursor);
    expect(kept.headers['x-credits-charged']).toBe(direct.headers['x-credits-charged']);
  });

  it('have the views of an event search, at the same price', async () => {
    const [compact, direct, whole, wrong] = [
      await send('GET', '/saved-searches/ss_kept/results?limit=7&view=compact'),
      await send('GET', '/events/search?symbol=BTCUSD-PERP&limit=7&view=compact'),
      await send('GET', '/saved-searches/ss_kept/results?limit=7&view=packet'),
      await send('GET', '/saved-searches/ss_kept/results?view=whole'),
    ];
    expect([compact, direct, whole].map(({ status, text }) => (status === 200 ? '' : text))).toEqual(['', '', '']);
    const rowsOf = (answer: RawResponse) => answer.json<{ readonly rows: readonly object[] }>().rows;
    expect(rowsOf(compact).length).toBeGreaterThan(0);
    expect(rowsOf(compact)).toEqual(rowsOf(direct));
    expect(rowsOf(compact)).not.toEqual(rowsOf(whole));
    expect(compact.headers['x-credits-charged']).toBe(whole.headers['x-credits-charged']);
    expect([wrong.status, locsOf(wrong)]).toEqual([422, [['query', 'view']]]);
  });

  it('are checked as the parameters of an event search are, each fault by its place', async () => {
    const query = { state: 'No State', limit: 5, tag: ['pressure:bid:hot', 'no tag'], severity_class: 'x' };
    const refused = await send('POST', '/saved-searches', { name: 'n', query });
    expect(refused.status).toBe(422);
    expect(locsOf(refused)).toEqual(
      expect.arrayContaining([
        ['body', 'query', 'state'],
        ['body', 'query', 'limit'],
        ['body', 'query', 'tag', 1],
        ['body', 'query', 'severity_class'],
      ]),
    );
    const mixed = await send('POST', '/saved-searches', { name: 'n', query: { ...query, q: '17' } });
    expect(locsOf(mixed)).toEqual(
      expect.arrayContaining([
        ['body', 'query', 'state'],
        ['body', 'query', 'q'],
      ]),
    );
    const turned = { q: '17', from: '2024-08-02T00:00:00Z', to: '2024-08-01T00:00:00Z' };
    const window = await send('POST', '/saved-searches', { name: 'n', query: turned });
    expect([window.status, locsOf(window)]).toEqual([
      422,
      [
        ['body', 'query', 'from'],
        ['body', 'query', 'q'],
      ],
    ]);
    expect((await send('PATCH', '/saved-searches/ss_kept', { query: turned })).status).toBe(422);
  });

  it('are not stored for a symbol that is not served: 404 with those served', async () => {
    const query = { symbol: 'QUSD-PERP' };
    for (const refused of [
      await send('POST', '/saved-searches', { name: 'n', query }),
      await send('PATCH', '/saved-searches/ss_kept', { query }),
    ])
      expect([refused.status, refused.json()]).toMatchObject([
        404,
        { code: 'unknown_symbol', symbols_served: [...SYMBOLS, SIMULATED_SYMBOL] },
      ]);
    expect((await send('POST', '/saved-searches', { name: 'n', query: { symbol: 'ALL' } })).status).toBe(200);
  });

  it('report the plan’s limit', async () => {
    let last = await send('POST', '/saved-searches', { name: 'n', query: {} });
    for (let each = 0; each < 60 && last.status === 200; each += 1) last = await send('POST', '/saved-searches', { name: 'n', query: {} });
    expect(last.status).toBe(409);
    expect(last.json()).toMatchObject({ code: 'too_many_saved_searches', limit: 50 });
  });
});

it('what may be kept is described as the event search describes it', () => {
  const own = new Set(['limit', 'cursor', 'as_of', 'view']);
  const bare = ({ default: _default, description: _description, ...schema }: Record<string, unknown>): object => schema;
  const parameters = operationById('searchEvents').parameters.filter(({ in: place, name }) => place === 'query' && !own.has(name));
  const schema = (openApiDocument.components.schemas['EventSearchQuery'] ?? {}) as { properties?: Record<string, Record<string, unknown>> };
  expect(Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, bare(property)]))).toEqual(
    Object.fromEntries(parameters.map(({ name, schema: ofParameter }) => [name, bare(ofParameter as Record<string, unknown>)])),
  );
});
