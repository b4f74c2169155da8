import { runMain } from '@market-state/lifecycle';
import { readAccountConfig } from './config';
import { startAccount } from './server';

runMain('account', async (env, signal) => startAccount(readAccountConfig(env), {}, signal));
