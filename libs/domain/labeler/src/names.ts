export { FEATURE_KEYS } from './feature-keys';
export { COMPOSITES } from './read';
