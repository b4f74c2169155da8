export { recordBuild, recordDocuments } from './release/record-release';
export { readReleaseRecord } from './release/release-record';
