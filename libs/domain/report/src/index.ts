export { renderReport, ReportError } from './render-report';
export { sampleOf } from './sample';
export type { ReportSample } from './sample';
