export { bundleLines } from './recompute/bundle-lines';
export { checkBundle } from './recompute/check-bundle';
export type { BundleCheck } from './recompute/check-bundle';
export type { LineFile } from './verify/file-index';
export { SourceError } from './verify/symbol-source';
export { signingKeyOf } from './packet-row/signing-key';
export type { SigningKey } from './packet-row/signing-key';
