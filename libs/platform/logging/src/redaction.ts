const REDACTED = '[redacted]';

/** Properties with secret values, anywhere in a log line. Ignores case, `-` and `_`. */
const SECRET_PROPERTY =
  /"((?:x[-_]?)?api[-_]?key|authorization|proxy[-_]authorization|(?:set[-_])?cookie|password|pass(?:phrase)?|secret|[a-z_-]*[-_]?(?:secret|token|password)|private[-_]?key|routing[-_]?key|session(?:[-_]?id)?|key)":("(?:[^"\\]|\\.)*"|\[[^\]]*\])/gi;

const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(msk_(?:live|test)_)[0-9A-Za-z]+/g, `$1${REDACTED}`],
  [/\b(whsec_)[0-9A-Za-z+/=_-]+/g, `$1${REDACTED}`],
  [/\b(svc_market_state_session=)[^;\s"\\]+/g, `$1${REDACTED}`],
  [/(\/services\/T\w{1,20}\/B\w{1,20}\/|\/webhooks\/\d{1,20}\/)[^\s"\\]+/g, `$1${REDACTED}`],
  [/(:\/\/[^/\s"\\]{1,253}\/hooks\/)[^\s"\\]+/g, `$1${REDACTED}`],
  [/(\/bot\d{1,20}:)[\w-]{20,}/g, `$1${REDACTED}`],
  [/\b(Bearer|Basic) [0-9A-Za-z._~+/=-]+/g, `$1 ${REDACTED}`],
  [/(:\/\/[^:@/\s"]*:)[^@/\s"]+@/g, `$1${REDACTED}@`],
];

/** Replaces secrets recognisable by their format: keys, signing secrets, cookies, URL passwords, tokens in addresses of chats. */
export function redactText(text: string): string {
  let clean = text;
  for (const [shape, replacement] of SECRET_SHAPES) clean = clean.replace(shape, replacement);
  return clean;
}

/** Redacts a finished JSON log line, by property name and by format, in linear time. */
export function redactLine(line: string): string {
  return redactText(line.replace(SECRET_PROPERTY, (_match, property: string) => `"${property}":"${REDACTED}"`));
}
