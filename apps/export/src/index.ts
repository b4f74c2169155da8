export { readExportConfig, readWorkerConfig } from './config';
export type { SourceHour } from './jobs/part';
export type { ExportSpec } from './jobs/spec';
export { selectionOf } from './parts/column-sql';
export { makePart } from './parts/make-part';
export type { PartOrder } from './parts/part-order';
export { startExport, type ExportServer } from './server';
export { sweepObjects } from './upkeep/sweep-objects';
export { startExportWorker } from './worker';
