import { runMain } from '@market-state/lifecycle';
import { readGatewayConfig } from './config';
import { startGateway } from './gateway';

runMain('gateway', (env) => startGateway(readGatewayConfig(env)));
