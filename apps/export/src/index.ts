export { type ExportConfig, readExportConfig, readWorkerConfig, type WorkerConfig } from './config';
export { startExport, type ExportServer } from './server';
export { sweepObjects } from './upkeep/sweep-objects';
export { startExportWorker, type ExportWorker } from './worker';
export type { WorkerPace } from './worker-deps';
