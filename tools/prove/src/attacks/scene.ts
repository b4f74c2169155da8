import { type Edge, type EdgeGateway, openEdge } from '../edge/edge';
import type { Market } from '../edge/market';
import type { EdgeTenant } from '../edge/office';
import type { AttackSizes } from './sizes';

/** What every attack finds: one gateway, with others who use it. */
export interface Scene {
  readonly market: Market;
  readonly edge: Edge;
  readonly gateway: EdgeGateway;
  readonly sizes: AttackSizes;
  readonly seed: number;
  readonly random: () => number;
  /** Tenants whose keys the gateway knows. What they are charged is compared with what they were answered. */
  readonly others: readonly EdgeTenant[];
  /** Calls to `latest` that others were answered, and calls of theirs that were lost, by tenant. */
  readonly counted: Map<string, { good: number; lost: number }>;
  readonly say: (line: string) => void;
}

const OTHERS = 4;

export async function openScene(
  market: Market,
  parts: Pick<Scene, 'sizes' | 'seed' | 'random' | 'say'>,
): Promise<Scene & { close(): Promise<void> }> {
  const edge = await openEdge(market, { gateways: 1, random: parts.random });
  try {
    await edge.ready();
    const [gateway] = edge.gateways;
    if (gateway === undefined) throw new Error('The edge has no gateway.');
    const others: EdgeTenant[] = [];
    for (let at = 0; at < OTHERS; at += 1) others.push(await edge.office.tenant(`other ${at}`, 'enterprise', 1_000_000));
    return { ...parts, market, edge, gateway, others, counted: new Map(), close: () => edge.close() };
  } catch (error) {
    await edge.close();
    throw error;
  }
}
