import { offerTestServers } from '@market-state/testing';

/** Before the first test: the run's Postgres and Redis can be asked for, which neither starts before. Gives back how to stop them. */
export default function offer(): Promise<() => Promise<void>> {
  return offerTestServers();
}
