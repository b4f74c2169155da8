export { images } from './manifests';
export { APP_FOLDER, argumentsOf, DATA_FOLDER, NODE, USER_ID } from './locations';
export { lastRelease } from './releases/releases';
export { makeSecrets } from './make-secrets';
