export { recordedBytes } from './recorded-bytes';
export { UnreadableFileError } from './unreadable-file-error';
