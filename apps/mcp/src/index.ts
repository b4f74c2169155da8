export { readMcpConfig } from './config';
