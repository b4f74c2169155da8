export { readMcpConfig } from './config';
export { startMcp } from './server';
