import { toFaultItem, faultText } from './validator-faults';

it.each([
  [
    ['query', 'from'],
    'must match format "instant-or-empty"',
    expect.stringMatching(/RFC 3339.*Z or an offset.*%2B.*milliseconds since the epoch, or empty$/),
  ],
  [['query', 'symbol'], 'must match pattern "^x$"', expect.stringContaining('look like BTCUSD-PERP')],
  [['body', 'symbols', 1], 'must match pattern "^x$"', expect.stringContaining('look like BTCUSD-PERP')],
  [['query', 'cursor'], 'must match pattern "^x$"', expect.stringContaining('next_cursor')],
  [['header', 'last-event-id'], 'must match pattern "^x$"', 'must be the id of a message from this stream, unchanged'],
  [['query', 'other'], 'must match pattern "^x$"', 'must match pattern "^x$"'],
  [['body'], 'must be object,null', 'must be an object or null'],
  [['body', 'n'], 'must be integer', 'must be a whole number'],
  [['body'], "must have required property 'body'", 'is required: send a JSON body'],
  [['body', 'email'], "must have required property 'email'", 'is required'],
  [['body', 'extra'], 'must NOT have additional properties', 'is not a field of this body'],
  [['query', 'state'], 'must be equal to one of the allowed values: , a, b', 'must be equal to one of the allowed values: a, b, or empty'],
  [['query', 'tf'], 'must be equal to one of the allowed values: 1m, 5m', 'must be equal to one of the allowed values: 1m, 5m'],
  [['query', 'depth'], 'must be <= 1000', 'must be <= 1000'],
])('at %j puts %s into words', (place, message, text) => {
  expect(faultText(place, message)).toEqual(text);
});

const request = { query: { depth: 0 }, params: { id: '' }, headers: {}, body: { rules: [{ kind: 1, 'a/b': 2, 'c/d': { e: 3 } }], 0: 'x' } };

it.each([
  ['/query/depth', ['query', 'depth']],
  ['/params/id', ['path', 'id']],
  ['/headers/idempotency-key', ['header', 'idempotency-key']],
  ['/body', ['body']],
  ['/body/rules/0/kind', ['body', 'rules', 0, 'kind']],
  ['/body/rules/0/missing', ['body', 'rules', 0, 'missing']],
  ['/body/rules/0/a/b', ['body', 'rules', 0, 'a/b']],
  ['/body/rules/0/c/d/e', ['body', 'rules', 0, 'c/d', 'e']],
  ['/body/0', ['body', '0']],
])('finds the place of %s', (path, loc) => {
  expect(toFaultItem({ path, message: 'm', errorCode: 'minimum.openapi.validation' }, request)).toEqual({ loc, msg: 'm', type: 'minimum' });
});
