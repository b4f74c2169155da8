import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { soldPlans } from '@market-state/pricing';
import { parse } from 'yaml';

test('the interface sells exactly the plans with a price, and the top-up', () => {
  const file = join(workspaceRoot(), 'apps', 'gateway', 'openapi', 'schemas', 'checkout-session-request.yaml');
  const { properties } = parse(readFileSync(file, 'utf8')) as { properties: { plan_id: { enum: string[] } } };
  expect(properties.plan_id.enum).toEqual([...soldPlans, 'topup']);
});
