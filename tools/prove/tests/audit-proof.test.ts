import { auditProof } from '../src';
import { expectProved } from './expect-proved';

it('wrong trades, a book off by a tick and late funding are found by the next run of the audit, and closed by the one after', async () => {
  const { figures } = await expectProved(auditProof, { seed: 1, budget: 0 });
  expect(new Map(figures).get('lies found and closed')).toBe(3);
});
