export { freePort } from '@market-state/launcher';
export type { DatabaseService, System, SystemOptions } from '@market-state/launcher';
export { type AccountProcess, startAccountProcess } from './start-account-process';
export { startSystem } from './start-system';
export { offerTestServers } from './stores/servers-of-run';
export { startStores } from './stores/start-stores';
export type { TestStores } from './stores/start-stores';
export { waitUntil } from './wait-until';
export { withRecordings } from './with-recordings';
