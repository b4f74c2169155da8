import type { Policy } from '../policy/policy';
import type { PacketRead } from '../read';
import { replayCursor } from './cursor';

/** Resolves a route of policy/routes.json for one packet. */
export type RouteOf = (name: string) => string;

/** @throws Error on a name that the policy does not have. */
export function routesOf(read: PacketRead, policy: Policy): RouteOf {
  const parameters: Readonly<Record<string, string>> = {
    symbol: read.symbol,
    event_id: read.lineage.eventId,
    cursor: replayCursor(read.symbol, read.windowEndMs),
    window_start_ms: String(read.windowEndMs - policy.numbers.windows.packet_interval_ms + 1),
    window_end_ms: String(read.windowEndMs + 1),
  };
  return (name) => {
    const path = policy.routes.routes[name];
    if (path === undefined) throw new Error(`the policy has no route "${name}"`);
    return path.replace(/\{([a-z_]+)\}/g, (_, parameter: string) => encodeURIComponent(parameters[parameter] ?? ''));
  };
}

/** The routes that every packet refers to, by name. */
export function routeRefs(routeOf: RouteOf, policy: Policy): Readonly<Record<string, string>> {
  return Object.fromEntries(policy.routes.route_refs.map((name) => [name, routeOf(name)]));
}
