import { chargesOf, createChargeGroups, totalOf } from './charge-groups';

const caller = { tenantId: 'ten_1', keyId: 'key_1', accountId: '' };
const chargeAt = (at: number, keyId = 'key_1') => ({
  operationId: `op_${at}`,
  requestId: `req_${at}`,
  caller: { ...caller, keyId },
  priced: undefined,
  status: 200,
  servedTsMs: at,
});

it('takes at most the wanted charges, oldest groups first, and gives every charge once', () => {
  const groups = createChargeGroups();
  const sent = Array.from({ length: 25 }, (_unused, at) => chargeAt(at, `key_${at % 7}`));
  for (const each of sent) groups.add(each);
  const parts = [];
  while (groups.total() > 0) parts.push(groups.take(4));
  expect(parts.map(totalOf)).toEqual([4, 4, 4, 4, 4, 4, 1]);
  expect(chargesOf(parts.flat())).toEqual(sent);
  expect(groups.take(4)).toEqual([]);
});

it('separates callers, prices and statuses', () => {
  const groups = createChargeGroups();
  for (const each of [chargeAt(1), chargeAt(2), { ...chargeAt(3), status: 304 }, chargeAt(4, 'key_2'), chargeAt(5)]) groups.add(each);
  expect(groups.take(10).map(({ operationIds }) => operationIds)).toEqual([['op_1', 'op_2', 'op_5'], ['op_3'], ['op_4']]);
});
