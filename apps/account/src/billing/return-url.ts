export const BILLING_PAGE = '/billing';

/**
 * Resolves `return_url`: empty means the billing page, a path is relative to the product, and a URL must be on an
 * allowed origin. Null for anything else, which prevents open redirects.
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

/** A browser must resolve the path to the product's own origin. */
function ownPath(path: string, baseUrl: string): string | null {
  if (!URL.canParse(path, baseUrl)) return null;
  const url = new URL(path, baseUrl);
  return url.origin === new URL(baseUrl).origin ? url.href : null;
}
