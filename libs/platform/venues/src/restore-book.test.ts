import { silentLogger } from '@market-state/logging';
import { createRestorer } from './restore-book';
import { type VenueConnection, VenueError } from './venue-source';

/** Each answer to a book request is nothing, or an error. */
function requested(answers: readonly (string | undefined)[], isThereAfter: number) {
  const ended = new AbortController();
  const waits: number[] = [];
  const reported: (string | undefined)[] = [];
  let tries = 0;
  let isThere = false;
  const connection: Pick<VenueConnection, 'requestSnapshot'> = {
    async requestSnapshot() {
      const failure = answers[tries++];
      isThere = tries >= isThereAfter;
      if (failure !== undefined) throw new VenueError('bad_answer', failure);
    },
  };
  const over = new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()));
  const restorer = createRestorer({
    instrument: 'BTCUSDT',
    isNeeded: () => !isThere,
    onDegraded: (reason) => reported.push(reason),
    logger: silentLogger(),
    random: () => 1,
    wait: async (durationMs) => {
      waits.push(durationMs);
      if (isThere || waits.length >= 20) ended.abort();
    },
  });
  restorer.connected(connection as VenueConnection, ended.signal);
  restorer.look();
  restorer.look();
  return { waits, reported, over, triesMade: () => tries };
}

test('a missing book is requested five times, 250 ms to 3 s apart, then reported as degraded with the reason, once; and requested every 30 s', async () => {
  const { waits, reported, over, triesMade } = requested(['1', '2', '3', '4', '418', '6', '7'], 7);
  await over;
  expect(triesMade()).toBe(7);
  expect(waits).toEqual([500, 1_000, 2_000, 3_000, 3_000, 30_000, 3_000, 30_000, 3_000]);
  expect(reported).toEqual([undefined, '418']);
});

test('an answer that does not fit is a try', async () => {
  const { reported, over, triesMade } = requested([], 6);
  await over;
  expect(triesMade()).toBe(6);
  expect(reported).toEqual([undefined, 'unusable response from the venue']);
});

test('one answer that fits ends the asking', async () => {
  const { waits, reported, over, triesMade } = requested([], 1);
  await over;
  expect([triesMade(), waits, reported]).toEqual([1, [500], [undefined]]);
});
