export { readWorkerConfig } from './config';
export { startExport, type ExportServer } from './server';
export { sweepObjects } from './upkeep/sweep-objects';
export { startExportWorker, type ExportWorker } from './worker';
