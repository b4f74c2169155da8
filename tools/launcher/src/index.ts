export { freePort, portIsFree } from './free-port';
export { DataDirInUseError } from './process/data-dir-lock';
export { databaseServices } from './stores/services';
export type { DatabaseService } from './stores/services';
export { startStores } from './stores/start-stores';
export type { StartStoresOptions, Stores } from './stores/start-stores';
export { workspaceRoot } from './workspace-root';
