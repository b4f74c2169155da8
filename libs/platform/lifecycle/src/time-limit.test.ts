import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { timeLimit } from './time-limit';

setFlagsFromString('--expose-gc');
const collectMemory = runInNewContext('gc') as () => void;

it('also fires as one of several signals after garbage collection', async () => {
  const never = new AbortController();
  const either = Array.from({ length: 20 }, () => AbortSignal.any([never.signal, timeLimit(100)]));
  await delay(10);
  collectMemory();
  await delay(200);
  expect(either.map(({ aborted }) => aborted)).toEqual(either.map(() => true));
  expect(either.map(({ reason }) => (reason as Error).name)).toEqual(either.map(() => 'TimeoutError'));
});
