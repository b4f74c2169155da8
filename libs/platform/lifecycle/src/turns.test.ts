import { setTimeout as delay } from 'node:timers/promises';
import { createTurns } from './turns';

it('runs so many at once and the rest in the order asked, whatever became of those before', async () => {
  const inTurn = createTurns(2);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const outcomes = await Promise.allSettled(
    [0, 1, 2, 3, 4, 5].map((number) =>
      inTurn(async () => {
        started.push(number);
        running += 1;
        most = Math.max(most, running);
        await delay(5);
        running -= 1;
        if (number === 1) throw new Error('no');
        return number;
      }),
    ),
  );
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([0, 'failed', 2, 3, 4, 5]);
});
