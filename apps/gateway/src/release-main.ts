export { recordRelease } from './release/record-release';
