import { runMain } from '@market-state/lifecycle';
import { readMcpConfig } from './config';
import { startMcp } from './server';

runMain('mcp', (env) => startMcp(readMcpConfig(env)));
