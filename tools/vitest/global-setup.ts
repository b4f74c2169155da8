import { useOwnTemporaryFolder } from '@market-state/launcher';
import { offerTestServers } from '@market-state/testing';

/**
 * Before the first test: the run has a temporary folder of its own, which is removed once this process is gone, however it and its workers
 * end; and the run's Postgres and Redis can be asked for, which neither starts before. Gives back how to stop them.
 */
export default function offer(): Promise<() => Promise<void>> {
  useOwnTemporaryFolder();
  return offerTestServers();
}
