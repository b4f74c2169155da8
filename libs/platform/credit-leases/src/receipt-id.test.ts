import { createHash, randomUUID } from 'node:crypto';
import { receiptIdOf } from './receipt-id';

it('derives the id that receipts already have', () => {
  expect(receiptIdOf('ten_1', 'op_1')).toBe('rcp_thyqekjdjdpkx4n85hg9rfg5k6');
  for (let count = 0; count < 200; count += 1) {
    const [tenantId, operationId] = [`ten_${randomUUID()}`, `op_${randomUUID()}`];
    const digest = createHash('sha256').update(`${tenantId}\n${operationId}`).digest();
    const letters = [...digest.subarray(0, 26)].map((byte) => '0123456789abcdefghjkmnpqrstvwxyz'[byte % 32]);
    expect(receiptIdOf(tenantId, operationId)).toBe(`rcp_${letters.join('')}`);
  }
});
