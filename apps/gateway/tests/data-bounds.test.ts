import { responseSchemaOf } from '../src/routes/data/get-data-manifest';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type Operation, operationById, operations } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, SYMBOLS } from './stand-in/boot';
import { SIMULATED_SYMBOL } from './stand-in/data-plane';
import { LOG_START_MS, madePacket } from './stand-in/made-rows';
import type { RawResponse } from './stand-in/http-client';

const WINDOW_END_MS = Date.parse('2025-12-31T23:10:10.000Z');
const DATA = '/api/public/data';

/** Data routes that answer with one JSON object, without exports. */
const ROUTES = operations.filter(
  (operation) =>
    operation.path.startsWith(`${DATA}/`) && !operation.path.startsWith(`${DATA}/export/`) && responseSchemaOf(operation) !== null,
);
const WITH_SYMBOL = ROUTES.filter(({ parameters }) => parameters.some(({ name }) => name === 'symbol'));

function addressOf({ path }: Operation, symbol: string): string {
  return path.replace('{connector_id}', 'rest').replace('{event_id}', `evt_${symbol}_${WINDOW_END_MS}`);
}

function named(list: readonly Operation[]): (readonly [string, Operation])[] {
  return list.map((operation) => [operation.operationId, operation]);
}

interface Item {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

function places(response: RawResponse): string[] {
  expect(response.status).toBe(422);
  return response
    .json<{ detail: Item[] }>()
    .detail.map(({ loc }) => loc.join('.'))
    .sort();
}

interface Answer {
  readonly symbol: string;
  readonly as_of_utc: string;
  readonly source_status: string;
  readonly source: { readonly kind: string };
  readonly meta: { readonly synthetic: boolean; readonly response_semantics: Readonly<Record<string, unknown>> };
}

describe('routes of the data plane', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
    for (const symbol of [...SYMBOLS, SIMULATED_SYMBOL]) booted.labeling.store(madePacket(symbol, WINDOW_END_MS));
  });
  afterAll(() => booted.close());

  it('are all there', () => {
    expect(ROUTES.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining([
        ...[
          'getBookL2Latest',
          'listCandles',
          'getCatalog',
          'getConnectorQuerySpec',
          'getActiveAssetContext',
          'getEventJoinSpec',
          'getDataHealth',
          'getLiquidationsContext',
        ],
        ...[
          'getDataManifest',
          'getPacketJoinRecipe',
          'getReplayWindow',
          'getDataFreshness',
          'getDataRights',
          'listLatestTrades',
          'listGaps',
        ],
      ]),
    );
  });

  describe.each([...SYMBOLS, SIMULATED_SYMBOL])('%s', (symbol) => {
    it.each(named(ROUTES))('%s keeps to the document and says what is behind it', async (_id, operation) => {
      const query = operation.parameters.some(({ name }) => name === 'symbol')
        ? `?symbol=${symbol}${operation.operationId === 'getPacketJoinRecipe' ? `&event_id=evt_${symbol}_${WINDOW_END_MS}` : ''}`
        : '';
      const response = await booted.keyed(addressOf(operation, symbol) + query);
      expect(response.status).toBe(200);
      expect(responseCheck(responseSchemaOf(operation) ?? '')(response.json())).toBeNull();
      const { source_status, source, meta, ...answer } = response.json<Answer>();
      expect(['fresh', 'stale', 'missing']).toContain(source_status);
      expect(meta.response_semantics).toMatchObject({
        freshness_state: source_status,
        stale: source_status === 'stale',
        live_current: false,
        auth_state: 'api_key',
      });
      const synthetic = symbol === SIMULATED_SYMBOL || answer.symbol === 'ALL';
      expect([meta.synthetic, meta.response_semantics['response_state']]).toEqual(
        synthetic ? [true, 'synthetic'] : [false, 'recorded_replay'],
      );
      expect(source.kind).toBe(answer.symbol === 'ALL' ? 'multiple' : synthetic ? 'simulated' : 'recorded');
    });
  });

  it.each(named(ROUTES))('%s is closed without a key and to an unknown one', async (_id, operation) => {
    const address = addressOf(operation, 'BTCUSD-PERP');
    expect((await booted.get(address)).status).toBe(401);
    expect((await booted.get(address, { headers: { 'x-market-state-api-key': booted.account.unknownKey() } })).status).toBe(401);
  });

  it.each(named(WITH_SYMBOL))('%s names the symbols served to one that is not, and refuses a malformed one', async (_id, operation) => {
    const address = addressOf(operation, 'BTCUSD-PERP');
    const unknown = await booted.keyed(`${address}?symbol=DOGEUSD-PERP`);
    expect(unknown.status).toBe(404);
    expect(unknown.json()).toMatchObject({ code: 'unknown_symbol', symbols_served: [...SYMBOLS, SIMULATED_SYMBOL] });
    for (const symbol of ['btcusd-perp', 'ALL', '', 'BTCUSDT'])
      expect(places(await booted.keyed(`${address}?symbol=${symbol}`))).toEqual(['query.symbol']);
  });

  const bounded = ROUTES.flatMap((operation) =>
    operation.parameters
      .filter((parameter) => parameter.in === 'query')
      .flatMap(({ name, schema }) =>
        [schema['minimum'], schema['maximum']].flatMap((bound, index) =>
          typeof bound === 'number' ? [[operation.operationId, name, bound, index === 0 ? bound - 1 : bound + 1] as const] : [],
        ),
      ),
  );
  it.each(bounded)('%s takes %s up to its bound %d and refuses %d', async (operationId, name, bound, beyond) => {
    const address = addressOf(operationById(operationId), 'BTCUSD-PERP');
    expect((await booted.keyed(`${address}?${name}=${bound}`)).status).toBe(200);
    expect(places(await booted.keyed(`${address}?${name}=${beyond}`))).toEqual([`query.${name}`]);
    expect(places(await booted.keyed(`${address}?${name}=ten`))).toEqual([`query.${name}`]);
  });

  it.each(named(ROUTES))('%s reports every fault together', async (_id, operation) => {
    const broken = operation.parameters.flatMap(({ name, in: place, schema }): [string, string][] => {
      if (place !== 'query') return [];
      if (schema.type === 'integer') return [[name, '0']];
      if (schema.type === 'boolean') return [[name, 'perhaps']];
      return schema['pattern'] !== undefined || schema['format'] !== undefined || schema['enum'] !== undefined ? [[name, 'no good']] : [];
    });
    const query = [...broken, ['unheard_of', '1'] as const].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    expect(places(await booted.keyed(`${addressOf(operation, 'BTCUSD-PERP')}?${query}`))).toEqual(
      [...broken.map(([name]) => `query.${name}`), 'query.unheard_of'].sort(),
    );
  });

  it.each([
    ['/candles', 'as_of=2020-01-01T00:00:00Z'],
    ['/candles', 'from=2020-01-01T00:00:00Z&to=2020-01-01T01:00:00Z'],
    ['/gaps', 'as_of=2020-01-01T00:00:00Z'],
    ['/gaps', 'from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z'],
    ['/catalog', 'as_of=2020-01-01T00:00:00Z'],
    ['/replay/window', 'as_of=2020-01-01T00:00:00Z'],
    ['/stream/replay', 'as_of=2020-01-01T00:00:00Z&start=2026-01-01T00:00:00Z&end=2026-01-01T00:10:00Z&speed=max'],
    ['/replay/window', 'start=2020-01-01T00:00:00Z&end=2020-01-01T00:10:00Z'],
  ])('%s answers 410 with the oldest time to %s, from before what is kept', async (route, query) => {
    const response = await booted.keyed(`${DATA}${route}?${query}`);
    expect(response.status).toBe(410);
    expect(response.json()).toMatchObject({ code: 'beyond_retention', oldest_available_utc: new Date(LOG_START_MS).toISOString() });
  });

  it.each(['/candles', '/gaps', '/catalog', '/replay/window'])('%s says as of when it speaks', async (route) => {
    const asOf = '2025-12-31T23:59:00.000Z';
    expect((await booted.keyed(`${DATA}${route}?as_of=${asOf}`)).json<Answer>().as_of_utc).toBe(asOf);
    if (route === '/replay/window') return;
    const future = (await booted.keyed(`${DATA}${route}?as_of=2100-01-01T00:00:00Z`)).json<Answer>().as_of_utc;
    expect(Date.parse(future)).toBeLessThanOrEqual(Date.now());
  });
});
