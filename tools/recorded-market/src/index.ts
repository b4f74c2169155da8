export { bundledRecording, type Played, playLog } from './play-log';
export { type ExportMarket, type MarketSettings, openExportMarket } from './export-market';
