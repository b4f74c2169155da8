import { CALLERS } from '@market-state/contracts';
import { services } from '../services';

const VENUE = 'simulated-venue';
const FOLLOWS_VENUE = 'data-plane';

/**
 * The named services with all they call, by `proto/callers.yaml`, and the market that the feed follows.
 * @throws Error for an unknown service, or without names
 */
export function serviceNames(wanted: readonly string[]): readonly string[] {
  const unknown = wanted.filter((name) => services[name] === undefined);
  if (unknown.length > 0 || wanted.length === 0)
    throw new Error(`serve takes service names, not "${wanted.join(' ')}". Services: ${Object.keys(services).join(', ')}.`);
  const found = new Set(wanted);
  for (const name of found) for (const needed of neededBy(name)) found.add(needed);
  return [...found];
}

function neededBy(service: string): readonly string[] {
  const callers = Object.keys(services[service]?.processes ?? {});
  const paths = Object.keys(CALLERS).filter((path) => CALLERS[path]?.some((caller) => callers.includes(caller)));
  const called = Object.keys(services).filter((name) =>
    Object.values(services[name]?.processes ?? {}).some(
      ({ serves }) => serves !== undefined && paths.some((path) => path.startsWith(`/${serves}.`)),
    ),
  );
  return service === FOLLOWS_VENUE ? [...called, VENUE] : called;
}
