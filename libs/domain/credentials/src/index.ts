export { displayParts, formatKey, KEY_RANDOM_SIZE_BYTES, keyDigest, parseKey, type KeyDisplay, type KeyKind } from './key';
