export { atOnce } from './at-once';
export { addUp, countsOf, percentile, rounded, sumOf } from './figures';
export { createRandom, oneOf, shuffle, wholeBetween } from './random';
