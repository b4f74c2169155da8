export { readExportConfig, readWorkerConfig } from './config';
export type { SourceHour, ExportSpec, PartOrder } from './jobs/job';
export { selectionOf } from './parts/column-sql';
export { makePart } from './parts/make-part';
export { startExport, type ExportServer } from './server';
export { sweepObjects } from './run-maintenance';
export { startExportWorker } from './worker';
