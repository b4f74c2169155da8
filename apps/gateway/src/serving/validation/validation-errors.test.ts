import { faultText, toFaultItem } from './validation-errors';

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

const body = { rules: [{ kind: 1, 'a/b': 2, 'c/d': { e: 3 } }], 0: 'x' };

it.each([
  ['query', '/depth', {}, ['query', 'depth']],
  ['path', '/id', {}, ['path', 'id']],
  ['header', '/idempotency-key', {}, ['header', 'idempotency-key']],
  ['body', '', {}, ['body']],
  ['body', '/rules/0/kind', {}, ['body', 'rules', 0, 'kind']],
  ['body', '/rules/0', { missingProperty: 'missing' }, ['body', 'rules', 0, 'missing']],
  ['body', '/rules/0', { additionalProperty: 'a/b' }, ['body', 'rules', 0, 'a/b']],
  ['body', '/rules/0/a~1b', {}, ['body', 'rules', 0, 'a/b']],
  ['body', '/rules/0/c~1d/e', {}, ['body', 'rules', 0, 'c/d', 'e']],
  ['body', '/0', {}, ['body', '0']],
] as const)('in the %s finds the place of %s with %j', (place, instancePath, params, loc) => {
  const error = { instancePath, params, message: 'm', keyword: 'minimum', schemaPath: '' };
  expect(toFaultItem(place, error, place === 'body' ? body : {})).toEqual({ loc, msg: 'm', type: 'minimum' });
});

it('lists the allowed values', () => {
  const error = {
    instancePath: '/tf',
    params: { allowedValues: ['', '1m'] },
    message: 'must be equal to one of the allowed values',
    keyword: 'enum',
    schemaPath: '',
  };
  expect(toFaultItem('query', error, {})).toEqual({
    loc: ['query', 'tf'],
    msg: 'must be equal to one of the allowed values: 1m, or empty',
    type: 'enum',
  });
});
