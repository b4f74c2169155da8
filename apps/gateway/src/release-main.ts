export { recordRelease } from './release/release-record';
