import { instrumentOf } from '@market-state/market-data';
import type { FeedConfig } from '../config';
import { recordingFacts } from './recording-facts';

/**
 * The facts of every recording that is played.
 * @throws AggregateError naming every one that can't be read or holds no message of its instrument
 */
export async function readRecordings(recordings: FeedConfig['recordings']) {
  const read = await Promise.allSettled(
    Object.entries(recordings).map(async ([symbol, files]) => {
      const instrument = instrumentOf(symbol);
      return { instrument, facts: await recordingFacts(instrument, files) };
    }),
  );
  const failures = read.filter((each) => each.status === 'rejected').map(({ reason }) => reason as Error);
  if (failures.length > 0) throw new AggregateError(failures, `recordings can't be played: ${failures.map(({ message }) => message).join('; ')}`);
  return read.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
}
