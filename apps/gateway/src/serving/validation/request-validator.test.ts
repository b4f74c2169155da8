import { Ajv2020 } from 'ajv/dist/2020';
import { type Operation, operationById, operations, operationsOf } from '../openapi/operations';
import { openApiDocument } from '../openapi/document';
import { createMarketNames } from './market-names';
import { checkQuery, createRequestValidator, type SentParts, type Validation } from './request-validator';

const market = { symbols: () => ['BTCUSD-PERP'], knownToMs: () => Date.now() };
const validator = createRequestValidator(market, createMarketNames({ served: market.symbols, venues: async () => [] }));
const createKey = operationById('createKey');
const logIn = operationById('logIn');

const validate = (operation: Operation, parts: Partial<SentParts>): Promise<Validation> =>
  validator.validate(operation, { rawQuery: '', path: {}, headers: {}, body: undefined, ...parts });

it('compiles an operation at its first request, and reads a repeated query once', () => {
  const compiling = jest.spyOn(Object.getPrototypeOf(Ajv2020.prototype) as Ajv2020, 'compile');
  // Not the shared operations, which other tests have compiled.
  const operation = operationsOf(openApiDocument).find(({ operationId }) => operationId === 'getBookL2Latest');
  if (operation === undefined) throw new Error('there is no such operation');
  const first = checkQuery(operation, 'depth=5');
  expect(compiling).toHaveBeenCalled();
  compiling.mockClear();
  expect(first).toMatchObject({ values: { symbol: 'BTCUSD-PERP', depth: 5 }, isPlain: true });
  expect(checkQuery(operation, 'depth=5')).toBe(first);
  expect(checkQuery(operation, 'depth=0')).toMatchObject({ isPlain: false, errors: [{ instancePath: '/depth' }] });
  expect(checkQuery(operation, 'depht=5').isPlain).toBe(false);
  expect(compiling).not.toHaveBeenCalled();
  compiling.mockRestore();
});

it('gives handlers a query that they cannot change', async () => {
  const validation = await validate(operationById('searchEvents'), { rawQuery: 'tag=depth:thin' });
  if (!validation.ok) throw new Error(JSON.stringify(validation.faults));
  expect(Object.isFrozen(validation.input.query)).toBe(true);
  expect(validation.input.query).toMatchObject({ tag: ['depth:thin'] });
});

it('checks the spans of all bodies, each by the longest of its operation', async () => {
  const typesOf = async (operationId: string, body: object): Promise<readonly string[]> => {
    const validation = await validate(operationById(operationId), { path: { webhook_id: 'x', watchlist_id: 'x' }, body });
    return validation.ok ? [] : validation.faults.filter(({ loc }) => loc[0] === 'body').map(({ type }) => type);
  };
  const month = { from: '2026-01-01T00:00:00Z', to: '2026-01-31T00:00:00Z' };
  const future = { from: '2099-01-01T00:00:00Z', to: '2099-01-02T00:00:00Z' };
  expect(await typesOf('createExportJob', { dataset: 'packets', ...month })).toEqual([]);
  expect(await typesOf('createExportJob', { dataset: 'packets', ...future })).toEqual(['in_the_future']);
  expect(await typesOf('rehearseWatchlist', month)).toEqual(['window_too_long']);
  expect(await typesOf('rehearseWatchlist', future)).toEqual(['in_the_future']);
});

/** A body that no schema may read: accessing its second field throws. */
function unread(body: Record<string, unknown>): Record<string, unknown> {
  return Object.defineProperty(body, 'never_read', {
    enumerable: true,
    get: () => {
      throw new Error('the body was read');
    },
  });
}

it('asks no schema about a body beyond the limits', async () => {
  const scopes = Array.from({ length: 21_000 }, () => 'read');
  const body = unread({ ...Object.fromEntries(scopes.map((scope, index) => [`k${index}`, scope])), scopes });
  expect(await validate(createKey, { body })).toEqual({
    ok: false,
    faults: [expect.objectContaining({ type: 'too_many_values' })],
    further: 0,
  });
});

it('skips other validation for a query beyond the limits and does not parse it', async () => {
  const rawQuery = Array.from({ length: 33 }, (_name, index) => `p${index}=1`).join('&');
  expect(await validate(operationById('getBookL2Latest'), { rawQuery })).toEqual({
    ok: false,
    faults: [expect.objectContaining({ type: 'too_many_parameters' })],
    further: 0,
  });
  expect(await validate(operationById('getBookL2Latest'), { rawQuery: `${'&'.repeat(2_000)}${'p=1&'.repeat(20)}` })).toEqual({
    ok: false,
    faults: [expect.objectContaining({ type: 'query_too_long' })],
    further: 0,
  });
});

it('gives the faults of at most 50 places, and counts those beyond', async () => {
  const wide = Object.fromEntries(Array.from({ length: 998 }, (_item, index) => [`k${index}`, 1]));
  const validation = await validate(logIn, { body: { ...wide, email: 'a@example.com', password: 'x' } });
  if (validation.ok) throw new Error('it is not valid');
  expect(validation.faults).toHaveLength(50);
  expect(validation.further).toBe(948);
  const items = await validate(createKey, { body: { name: 'n', scopes: Array.from({ length: 990 }, () => 1) } });
  if (items.ok) throw new Error('it is not valid');
  expect(items.faults.length + items.further).toBe(991);
});

it.each([
  ['one name of 30,000 slashes', { ['a/'.repeat(30_000)]: 1 }, ['a/'.repeat(30_000)]],
  [
    'that and 500 others',
    { ['a/'.repeat(20_000)]: 1, ...Object.fromEntries(Array.from({ length: 500 }, (_item, index) => [`k/${index}`, 1])) },
    ['a/'.repeat(20_000), 'k/0', 'k/1'],
  ],
])('finds the place of %s', async (_name, body, names) => {
  const validation = await validate(logIn, { body: { email: 'a@example.com', password: 'x', ...body } });
  if (validation.ok) throw new Error('it is not valid');
  expect(validation.faults.slice(0, names.length).map(({ loc }) => loc)).toEqual(names.map((name) => ['body', name]));
});

const NUL = 'a\0b';

/** Path or query parameters that accept any text. */
const names = (operation: Operation, place: 'path' | 'query'): readonly string[] =>
  operation.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);

it.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s takes no U+0000 anywhere',
  async (_id, operation) => {
    const path = Object.fromEntries(names(operation, 'path').map((name) => [name, NUL]));
    const rawQuery = names(operation, 'query')
      .map((name) => `${name}=${encodeURIComponent(NUL)}`)
      .join('&');
    const validation = await validate(operation, { path, rawQuery, body: operation.body === null ? undefined : { [NUL]: 1, name: [NUL] } });
    const places = [
      ...names(operation, 'path').map((name) => ['path', name]),
      ...names(operation, 'query').map((name) => ['query', name]),
      ...(operation.body === null ? [] : [['body'], ['body', 'name', 0]]),
    ];
    const found = validation.ok ? [] : validation.faults.map(({ loc }) => loc);
    expect(found).toEqual(expect.arrayContaining(places));
  },
);

it('reports a repeated item of a list together with an unknown one', async () => {
  const body = { dataset: 'book', columns: ['bids', 'nope', 'bids'] };
  const validation = await validate(operationById('createExportJob'), { body });
  expect(validation).toMatchObject({
    faults: [
      { loc: ['body', 'columns'], type: 'uniqueItems' },
      { loc: ['body', 'columns'], type: 'unknown_column', msg: expect.stringContaining('nope') as string },
    ],
  });
});
