/** Path of the portal's page where a tenant sees its plan, credits and orders. */
export const BILLING_PAGE = '/billing';

/**
 * The whole address that a caller's `return_url` means: the product's own billing page for an empty one, a path on the product's
 * address, or an address on an allowed origin. Null when it is none of them; nobody is sent there.
 * @param baseUrl the product's own address
 */
export function returnAddress(returnUrl: string, baseUrl: string, allowedOrigins: readonly string[]): string | null {
  if (/[\u0000-\u0020\u007f\\]/.test(returnUrl) || returnUrl.length > LENGTH_MAX) return null;
  if (returnUrl === '') return ownPath(BILLING_PAGE, baseUrl);
  if (returnUrl.startsWith('/')) return returnUrl.startsWith('//') ? null : ownPath(returnUrl, baseUrl);
  if (!/^https?:\/\//.test(returnUrl) || !URL.canParse(returnUrl)) return null;
  const url = new URL(returnUrl);
  const isAllowed = url.origin === new URL(baseUrl).origin || allowedOrigins.includes(url.origin);
  return isAllowed && url.username === '' && url.password === '' ? url.href : null;
}

const LENGTH_MAX = 2_048;

/** What a browser makes of the path has to stay on the product's own origin. */
function ownPath(path: string, baseUrl: string): string | null {
  if (!URL.canParse(path, baseUrl)) return null;
  const url = new URL(path, baseUrl);
  return url.origin === new URL(baseUrl).origin ? url.href : null;
}
