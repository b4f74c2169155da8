import { postgresUrl, readConfig, redisUrl } from '@market-state/config';
import { z } from 'zod';
import { type Closable, runMain, waitFor } from '../src';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Process under test for runMain; `MODE` selects its behaviour. */
runMain('fixture', (env, signal) => {
  if (env.MODE === 'bad-config') readConfig(z.object({ DATABASE_URL: postgresUrl, REDIS_URL: redisUrl }), {});
  return start(env.MODE, signal);
});

async function start(mode: string | undefined, signal: AbortSignal): Promise<Closable> {
  if (mode === 'wait') {
    say('waiting');
    await waitFor('nothing', () => Promise.reject(new Error('never there')), { signal });
  }
  const alive = setInterval(() => undefined, 60_000);
  if (mode === 'reject') setImmediate(() => void Promise.reject(new Error('never caught')));
  say('started');
  return {
    close: async () => {
      clearInterval(alive);
      say('closed');
    },
  };
}
