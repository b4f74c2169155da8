export { makeSecrets, type StoreHosts } from './secrets/make-secrets';
