export { recordBeside, recordBuild } from './release/record-release';
export { readReleaseRecord } from './release/release-record';
