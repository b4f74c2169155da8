import { type Edge, type EdgeGateway, openEdge } from '../edge/edge';
import type { Market } from '../edge/market';
import { atOnce, type Tenant } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import type { AttackSizes } from './sizes';

/** What every attack finds: one gateway, with others who use it. */
export interface Scene {
  readonly market: Market;
  readonly edge: Edge;
  readonly gateway: EdgeGateway;
  readonly sizes: AttackSizes;
  /** Tenants whose keys the gateway knows. What they are charged is compared with what they were answered. */
  readonly others: readonly Tenant[];
  /** Calls to `latest` that others were answered, and calls of theirs that were lost, by tenant. */
  readonly counted: Map<string, { good: number; lost: number }>;
}

const OTHERS = 4;

export async function openScene({ closer, random }: SuiteContext, market: Market, sizes: AttackSizes): Promise<Scene> {
  const edge = await openEdge(closer, market, { gateways: 1, random });
  await edge.ready();
  const [gateway] = edge.gateways;
  if (gateway === undefined) throw new Error('The edge has no gateway.');
  const others = await atOnce(OTHERS, (at) =>
    edge.tenants.create({ name: `other ${at}`, planId: 'enterprise', marketStateCredits: 1_000_000 }),
  );
  return { market, edge, gateway, sizes, others, counted: new Map() };
}

/** Adds what a tenant must be charged for. */
export function count({ counted }: Scene, tenantId: string, good: number, lost: number): void {
  const before = counted.get(tenantId) ?? { good: 0, lost: 0 };
  counted.set(tenantId, { good: before.good + good, lost: before.lost + lost });
}
