export { APP_FOLDER, DATA_FOLDER, USER_ID } from './places';
export { makeSecrets } from './secrets/make-secrets';
