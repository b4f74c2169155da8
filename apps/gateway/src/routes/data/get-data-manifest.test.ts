import { operations } from '../../serving/openapi/operations';
import { manifestLimits, manifestRoutes, responseSchemaOf, manifestSchemas } from './get-data-manifest';

const schemas = manifestSchemas();

it('describes every schema reachable from a data-plane response, with every field', () => {
  const names = new Set(schemas.map(({ name }) => name));
  for (const operation of operations.filter(({ path }) => path.startsWith('/api/public/data/'))) {
    const name = responseSchemaOf(operation);
    if (name !== null) expect(names).toContain(name);
  }
  for (const { fields } of schemas) {
    for (const { type } of fields)
      expect(
        names.has(type.replace(/^list of /, '')) ||
          /^(list of )?(string|timestamp|decimal|integer|number|boolean|object)( or object)?$/.test(type),
      ).toBe(true);
  }
});

it('has a unit for every number in a row', () => {
  const SCORES = new Set(['api_version', 'level', 'step', 'minimum', 'maximum', 'default', 'speed']);
  for (const { name, fields } of schemas) {
    for (const { field, type, unit } of fields) {
      if (['decimal', 'integer', 'number', 'timestamp'].includes(type) && !SCORES.has(field))
        expect([name, field, unit]).toEqual([name, field, expect.any(String)]);
    }
  }
});

it('states for each nullable field when it is null', () => {
  for (const { name, fields } of schemas) {
    for (const { field, nullable, description } of fields)
      if (nullable) expect([name, field, description]).toEqual([name, field, expect.stringMatching(/null/i)]);
  }
});

it('lists exactly the served routes, with the flags of the document', () => {
  const routes = manifestRoutes();
  expect(routes.map(({ operation_id: id }) => id).sort()).toEqual(operations.map(({ operationId: id }) => id).sort());
  expect(routes).toContainEqual(expect.objectContaining({ method: 'GET', path: '/livez', requires_api_key: false, metered: false }));
  expect(routes.find(({ operation_id }) => operation_id === 'getBookL2Latest')).toMatchObject({
    requires_api_key: true,
    metered: true,
    response_schema: 'Book',
    parameters: [{ name: 'symbol' }, { name: 'venue' }, { name: 'depth', minimum: 1, maximum: 1_000, default: '10' }],
  });
});

it('has the bounds of the contract', () => {
  expect(manifestLimits()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ limit: 'depth', minimum: 1, maximum: 1_000, default: 10 }),
      expect.objectContaining({
        limit: 'depth',
        minimum: 1,
        maximum: 1_000,
        default: 25,
        applies_to: ['/api/public/data/packet-join/recipe'],
      }),
      expect.objectContaining({ limit: 'window_seconds', minimum: 30, maximum: 3_600, default: 300 }),
      expect.objectContaining({ limit: 'window_ms', maximum: 3_600_000, default: 300_000 }),
      expect.objectContaining({
        limit: 'window_ms',
        maximum: 7 * 86_400_000,
        default: null,
        applies_to: ['/api/public/market-state/alerts/rehearsal'],
      }),
    ]),
  );
});
