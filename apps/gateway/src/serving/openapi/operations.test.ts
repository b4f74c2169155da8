import { deprecationFaults, operations, readDeprecation } from './operations';
import { openApiDocument } from './document';

const GOOD = {
  deprecated: true,
  'x-deprecated-at': '2027-01-31T00:00:00Z',
  'x-sunset': '2027-07-30T00:00:00Z',
  'x-deprecation-link': '/docs/run/changelog',
} as const;

test.each([
  ['nothing', {}, []],
  ['all of it, 180 days apart', GOOD, []],
  ['no end', { ...GOOD, 'x-sunset': undefined }, []],
  ['less than 180 days', { ...GOOD, 'x-sunset': '2027-07-29T23:59:59Z' }, [/at least 180 days after x-deprecated-at/]],
  [
    'a day that there is not',
    { ...GOOD, 'x-deprecated-at': '2027-02-30T00:00:00Z' },
    [/x-deprecated-at must be an instant .* not 2027-02-30/],
  ],
  ['no instant', { ...GOOD, 'x-sunset': 'July' }, [/x-sunset must be an instant .* not July/]],
  ['a mark alone', { deprecated: true }, [/x-deprecated-at .* not absent/, /x-deprecation-link .* not absent/]],
  ['a link to elsewhere', { ...GOOD, 'x-deprecation-link': 'https://example.com' }, [/x-deprecation-link must be a path under/]],
  [
    'dates without a mark',
    { ...GOOD, deprecated: false },
    [/x-deprecated-at requires/, /x-sunset requires/, /x-deprecation-link requires/],
  ],
])('an operation that says %s has the faults %j', (_what, said, faults) => {
  expect(deprecationFaults(said)).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  if (faults.length > 0) expect(() => readDeprecation(said)).toThrow(faults[0]);
});

test('what an operation says is read to the millisecond', () => {
  expect(readDeprecation(GOOD)).toEqual({ sinceMs: Date.UTC(2027, 0, 31), sunsetMs: Date.UTC(2027, 6, 30), link: '/docs/run/changelog' });
  expect(readDeprecation({})).toBeNull();
});

test('no operation of the document says anything wrong', () => {
  const all = Object.values(openApiDocument.paths).flatMap((methods) => Object.values(methods));
  expect(all.flatMap((operation) => deprecationFaults(operation).map((fault) => `${operation.operationId}: ${fault}`))).toEqual([]);
});

test('what states the condition of the service is a derived read that costs nothing', () => {
  const prices = operations
    .filter(({ path }) => path.includes('/market-state/status/'))
    .map(({ operationId, price }) => [operationId, price]);
  expect(prices.length).toBeGreaterThan(5);
  for (const [operationId, price] of prices)
    expect([operationId, price]).toEqual([operationId, { family: 'derived_read', counted: { by: 'nothing' } }]);
});
