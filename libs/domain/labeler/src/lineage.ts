export { canonicalJson } from './lineage/canonical-json';
export { lineageDigest, sha256Hex } from './lineage/digests';
