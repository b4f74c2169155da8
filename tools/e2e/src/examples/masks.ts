/** What opens something, in the forms that this service gives it, and what is shown in its place. */
const MASKS: readonly (readonly [RegExp, (secret: string) => string])[] = [
  // What a record displays of its key is still true: the first 12 characters and the last 4.
  [/\bmsk_(?:live|test)_[0-9A-Za-z]{46}\b/g, (key) => `${key.slice(0, 12)}${'0'.repeat(key.length - 16)}${key.slice(-4)}`],
  [/\bwhsec_[A-Za-z0-9+/]{43}=/g, () => `whsec_${'A'.repeat(43)}=`],
  [/\bsignature=[0-9A-Za-z_-]{20,}/g, (signature) => `signature=${'0'.repeat(signature.length - 'signature='.length)}`],
];

/** A text without the secrets in it, each replaced by one of the same form that opens nothing. */
export function masked(text: string): string {
  return MASKS.reduce((so, [form, mask]) => so.replace(form, mask), text);
}
