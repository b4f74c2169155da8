import { BudgetError, MarketState } from '@market-state/client';
import { TIMEFRAMES } from '@market-state/export-schema';
import { isPricedByParameters, type OperationPrice, type PricedParameters, priceCall } from '@market-state/pricing';
import fc from 'fast-check';
import { openApiDocument, type Described } from '../src/serving/openapi/document';
import { type Operation, operations } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { goodRequest, seedGoodRequests, seedPackets } from './stand-in/good-requests';

const LIST = '/api/public/market-state/demo/prices';
const ESTIMATE = '/api/public/market-state/usage/estimate';
/** Random calls over all operations: PROPERTY_RUNS, at least one of each. */
const DRAWN = Number(process.env['PROPERTY_RUNS'] ?? 30);
/** Symbols of the test system. */
const SYMBOL_TOTAL = 2;
const FROM_MS = Date.UTC(2026, 0, 1);
const WINDOW_END_MS = lastWindowEndMs();

type Query = Readonly<Record<string, string | number>>;

/**
 * Operations priced by their parameters, without the estimate, whose `route` names another operation. Operations with a
 * required body cannot be estimated: the quote would bind the body.
 */
const requested = operations.filter(
  ({ operationId, servedAs, price }) => price !== null && isPricedByParameters(price) && ![operationId, servedAs].includes('estimateUsage'),
);

/** Price in the document. */
function documentedPrice({ path, method }: Operation): OperationPrice {
  return openApiDocument.paths[path]?.[method]?.['x-price'] as OperationPrice;
}

/** Random parameters that affect the price, and otherwise only the required ones. */
function queryOf({ parameters, windowMsMax }: Operation): fc.Arbitrary<Query> {
  const drawn: Record<string, fc.Arbitrary<string | number>> = {};
  const must: string[] = [];
  const integer = (schema: { readonly minimum?: number; readonly maximum?: number }) =>
    fc.integer({ min: schema.minimum ?? 1, max: schema.maximum ?? 1_000 });
  for (const { name, in: place, required, schema } of parameters) {
    if (place === 'header') continue;
    if (required === true) must.push(name);
    if (name === 'limit' || name === 'depth') drawn[name] = integer(schema as object);
    else if (name === 'symbol') drawn[name] = fc.constant('BTCUSD-PERP');
    else if (name === 'tf') drawn[name] = fc.constantFrom(...Object.keys(TIMEFRAMES));
    else if (required === true) drawn[name] = fc.constant(REQUIRED[name] ?? 'some-id');
  }
  if (parameters.some(({ name }) => name === 'tf'))
    drawn['to'] = fc.integer({ min: 1, max: Math.min(windowMsMax ?? Infinity, 31 * 86_400_000) }).map((lengthMs) => FROM_MS + lengthMs);
  return fc.record(drawn, { requiredKeys: must as never[] }).map((query) => ('to' in query ? { from: FROM_MS, ...query } : query) as Query);
}

const REQUIRED: Readonly<Record<string, string>> = {
  connector_id: 'rest',
  event_id: `evt_BTCUSD-PERP_${FROM_MS}`,
  start: String(FROM_MS),
  end: String(FROM_MS + 60_000),
};

/** Fills in documented defaults and counts the candles in a window. */
function pricedParameters({ parameters }: Operation, query: Query): PricedParameters {
  const usual = Object.fromEntries(parameters.map(({ name, schema }) => [name, (schema as { readonly default?: unknown }).default]));
  const given = { ...usual, ...query };
  const timeframeMs = TIMEFRAMES[String(given['tf']) as keyof typeof TIMEFRAMES];
  const windowCandles = 'to' in query && timeframeMs !== undefined ? Math.ceil((Number(query['to']) - FROM_MS) / timeframeMs) + 1 : null;
  return { ...given, windowCandles } as PricedParameters;
}

/** SDK without a budget: sends nothing that could cost something. */
const penniless = new MarketState({
  baseUrl: 'http://127.0.0.1',
  apiKey: 'msk_live_none',
  fetch: async () => Response.json({ quote_id: 'q', estimated_market_state_credit_cost: 0, estimated_export_credit_cost: 0 }),
});

/** The SDK's upper bound for a call; 0 if unknown. */
async function boundOfSdk(id: string, query: Query): Promise<number | null> {
  const quote = await penniless.quote(id as 'getLatest', query as never);
  try {
    await quote.run();
    return 0;
  } catch (error) {
    if (error instanceof BudgetError) return error.needed;
    throw error;
  }
}

type Listed = Described<'ListedOperation'>;

/** Cost of units by the price list. */
function costBy({ base_credits: base, units_a_credit: size, step }: NonNullable<Listed['price']>, units: number): number {
  return base + (size === null ? 0 : Math[step === 'full' ? 'floor' : 'ceil'](units / size));
}

/** Maximum cost of a single-symbol call by the price list. */
function mostBy(price: NonNullable<Listed['price']>, parameters: PricedParameters): number {
  const { counted, bounded_by: bound, units_max: most } = price;
  const rows = bound === null ? Math.min(most ?? 0, parameters.windowCandles ?? Number.POSITIVE_INFINITY) : (parameters[bound] ?? 0);
  return costBy(price, counted === 'rows' ? rows : 1);
}

/** Rows of an answer's first list. */
function countedIn(body: Readonly<Record<string, unknown>>): number {
  const rows = ['rows', 'packets', 'messages', 'receipts'].map((name) => body[name]).find((value) => Array.isArray(value));
  return (rows as readonly unknown[] | undefined)?.length ?? 0;
}

describe('prices', () => {
  let booted: BootedGateway;
  let listed: ReadonlyMap<string, Listed>;
  beforeAll(async () => {
    booted = await bootGateway();
    const { operations: rows } = (await booted.get(LIST)).json<Described<'PriceList'>>();
    listed = new Map(rows.map((row) => [row.operation_id, row]));
  });
  afterAll(() => booted.close());

  /** Differences from the price of one call; null if none. */
  async function differenceOf(operation: Operation, query: Query): Promise<unknown> {
    const { path, method, operationId, servedAs, body } = operation;
    const price = documentedPrice(operation);
    const { estimated } = priceCall(price, pricedParameters(operation, query), { symbolTotal: SYMBOL_TOTAL, planId: 'public_pro' });
    const found: Record<string, unknown> = {};
    const inList = listed.get(servedAs)?.price ?? null;
    if (inList === null || mostBy(inList, pricedParameters(operation, query)) !== estimated) found['list'] = inList;
    if (body?.required !== true) {
      const search = new URLSearchParams({ route: path, method: method.toUpperCase() });
      for (const [name, value] of Object.entries(query)) search.set(name, String(value));
      const reported = (await booted.keyed(`${ESTIMATE}?${search}`)).json();
      if (reported['estimated_market_state_credit_cost'] !== estimated || reported['workload_family'] !== price.family)
        found['estimate'] = reported;
    }
    if (operationId === servedAs && price.counted.by !== 'messages') {
      const bound = await boundOfSdk(operationId, query);
      // The SDK assumes a full page of candles for any window.
      const isBound = price.counted.by === 'candles' ? bound !== null && bound >= estimated : bound === estimated;
      if (!isBound) found['sdk'] = bound;
    }
    return Object.keys(found).length === 0 ? null : { operationId, query, estimated, ...found };
  }

  it('are the same in pricing, in the price list, in usage/estimate and in the SDK, for drawn calls of all operations', async () => {
    const numRuns = Math.ceil(DRAWN / requested.length);
    const differences: unknown[] = [];
    for (const operation of requested) {
      const drawn = fc.sample(queryOf(operation), numRuns);
      differences.push(...(await Promise.all(drawn.map((query) => differenceOf(operation, query)))));
    }
    expect(differences.length).toBeGreaterThanOrEqual(Math.max(DRAWN, requested.length));
    expect(differences.filter((difference) => difference !== null).slice(0, 5)).toEqual([]);
  });

  it('are listed for every operation of the document, with what else decides about a call', async () => {
    const originals = operations.filter(({ operationId, servedAs }) => operationId === servedAs);
    expect([...listed.keys()].sort()).toEqual(originals.map(({ operationId }) => operationId).sort());
    for (const { operationId, path, method, rateClass } of originals)
      expect(listed.get(operationId)).toMatchObject({ route: path, method: method.toUpperCase(), rate_class: rateClass });
    expect(originals.filter(({ operationId, metered }) => (listed.get(operationId)?.price === null) === metered)).toEqual([]);
  });

  it('are charged as listed, by each operation whose answer is not a stream', async () => {
    seedPackets(booted.labeling, WINDOW_END_MS);
    const charged = requested.filter(({ operationId, servedAs, price }) => operationId === servedAs && price?.counted.by !== 'messages');
    const unlike: unknown[] = [];
    for (const operation of charged) {
      seedGoodRequests(booted.account);
      const { path, ...request } = goodRequest(operation, WINDOW_END_MS);
      const { status, headers, json } = await booted.keyed(path, request);
      const price = listed.get(operation.operationId)?.price as NonNullable<Listed['price']>;
      const isJson = String(headers['content-type']).startsWith('application/json');
      const units = price.counted === null ? 0 : price.counted === 'symbols' ? 1 : isJson ? countedIn(json()) : 1;
      if (status !== 200 || Number(headers['x-credits-charged']) !== costBy(price, units))
        unlike.push([operation.operationId, status, headers['x-credits-charged'], units, price.words]);
    }
    expect(charged.length).toBeGreaterThan(50);
    expect(unlike).toEqual([]);
  });
});
