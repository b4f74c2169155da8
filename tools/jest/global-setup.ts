import { offerTestServers } from '@market-state/testing';

let takeBack: (() => Promise<void>) | undefined;

/** Before the first test: the run's Postgres and Redis can be asked for. Neither starts unless a test asks. */
export default async function offer(): Promise<void> {
  takeBack = await offerTestServers();
}

/** After the last test. */
export async function end(): Promise<void> {
  await takeBack?.();
}
