import { setTimeout as delay } from 'node:timers/promises';
import { services } from '@market-state/launcher';
import type { Place, Places } from './places';
import type { BuiltRelease } from './release-build';
import type { Replaced } from './release-processes';
import type { RollingScene } from './scene';

/** As long as a load balancer needs to see that a gateway is there again. */
const SEEN_MS = 3_000;

/** Services that are replaced first, in this order; the edge is the last, and the others come between in the order of services.json. */
const FIRST = ['data-plane', 'labeling', 'account'];
const LAST = ['gateway'];

/** The places of a release, process after process, in the order in which services are replaced; of two the second first. */
export function inRollingOrder({ all }: Pick<Places, 'all'>): readonly Place[] {
  const between = Object.keys(services).filter((name) => ![...FIRST, ...LAST].includes(name));
  const processes = [...FIRST, ...between, ...LAST].flatMap((service) => Object.keys(services[service]?.processes ?? {}));
  return processes.flatMap((name) => all.filter(({ definition }) => definition.name === name).reverse());
}

/** Replaces every process by that of another release, one at a time, each once the one before says that it is ready. */
export async function roll(
  { processes }: RollingScene,
  release: BuiltRelease,
  order: readonly Place[],
  onReplaced: (replaced: Replaced) => void,
): Promise<Replaced[]> {
  const all: Replaced[] = [];
  for (const place of order) {
    const replaced = await processes.replace(place, release);
    if (place.definition.isPublic === true) await delay(SEEN_MS);
    all.push(replaced);
    onReplaced(replaced);
  }
  return all;
}
