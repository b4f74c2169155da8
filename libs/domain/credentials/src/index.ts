export {
  drawBase62,
  toBase62,
  displayParts,
  formatKey,
  KEY_RANDOM_SIZE_BYTES,
  keyDigest,
  parseKey,
  type KeyDisplay,
  type KeyKind,
} from './key';
export { isId, newId, type IdPrefix } from './new-id';
export { formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from './secret';
export { includesRole, MEMBER_ROLES, type MemberRole } from './member-role';
