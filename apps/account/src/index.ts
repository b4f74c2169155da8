export { readAccountConfig, type AccountConfig } from './config';
export { type AccountOverrides } from './deps';
export { startAccount, type AccountServer } from './server';
