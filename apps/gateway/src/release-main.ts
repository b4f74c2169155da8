export { recordRelease } from './release/release-parts';
