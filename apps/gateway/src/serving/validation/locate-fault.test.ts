import { toFaultItem } from './locate-fault';

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
