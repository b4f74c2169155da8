import { auditSuite } from '../src';
import { expectPassed } from './expect-passed';

it('wrong trades, a book off by a tick and late funding are found by the next run of the audit, and closed by the one after', async () => {
  const { figures } = await expectPassed(auditSuite, { seed: 1, budget: 0 });
  expect(new Map(figures).get('lies found and closed')).toBe(3);
});
