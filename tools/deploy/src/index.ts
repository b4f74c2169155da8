export { makeSecrets } from './secrets/make-secrets';
