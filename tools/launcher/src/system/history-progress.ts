import { feed } from '@market-state/contracts';
import { createClient, type RpcIdentity } from '@market-state/grpc';

const answerTimeoutMs = 2_000;

/**
 * Asks the feed how far it has filled the history, and says so in words: `BTCUSD-PERP to 15:23:10, ETHUSD-PERP to 15:25:00, now is
 * 16:40:12 UTC`. Empty when no symbol is being filled, or when the feed does not answer.
 */
export async function historyProgress(address: string, identity: RpcIdentity, nowMs: number): Promise<string> {
  const client = createClient({
    definition: feed.FeedServiceService,
    address,
    peer: identity.to('data-plane-feed'),
    deadlineMs: answerTimeoutMs,
  });
  try {
    const { symbols } = await client.call.getFeedState({});
    const filling = symbols.filter(({ phase, feedClockMs }) => phase === 'priming' && feedClockMs > 0);
    if (filling.length === 0) return '';
    return [...filling.map(({ symbol, feedClockMs }) => `${symbol} to ${timeOfDay(feedClockMs)}`), `now is ${timeOfDay(nowMs)} UTC`].join(
      ', ',
    );
  } catch {
    return '';
  } finally {
    await client.close();
  }
}

function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}
