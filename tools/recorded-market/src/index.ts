export { bundledRecording } from './bundled-recording';
export { type ExportMarket, type MarketSettings, openExportMarket } from './export-market';
export { type Played, playLog } from './play-log';
