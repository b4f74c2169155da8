export { type ExportConfig, readExportConfig, readWorkerConfig, type WorkerConfig } from './config';
export { startExport, type ExportServer } from './server';
export { startExportWorker, type ExportWorker } from './worker';
