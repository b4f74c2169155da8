import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

const YEAR_SECONDS = 31_536_000;

type Directives = Readonly<Record<string, Iterable<string>>>;

const NOTHING: Directives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"], 'base-uri': ["'none'"], 'form-action': ["'none'"] };

const secure = (directives: Directives, resourcePolicy: 'same-origin' | 'cross-origin') =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: { maxAge: YEAR_SECONDS, includeSubDomains: true },
    crossOriginResourcePolicy: { policy: resourcePolicy },
    referrerPolicy: { policy: 'no-referrer' },
    // For pages, plug-ins and old browsers, which this API does not serve; every header costs every request.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });

/** For answers that load nothing. Alternating names and values. */
export const SECURITY_HEADERS: readonly string[] = readHelmet(NOTHING);

/** For answers that pages of other origins embed. */
export const EMBEDDED_SECURITY_HEADERS: readonly string[] = readHelmet(NOTHING, 'cross-origin');

/** Its own files and `data:` images; no trusted type can be created. */
export const DOCS_SECURITY_HEADERS: readonly string[] = readHelmet({
  ...NOTHING,
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ["'none'"],
});

/** Its own files and `data:` images; the only trusted types are those of `portal-worker`. */
export const PORTAL_SECURITY_HEADERS: readonly string[] = readHelmet({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'worker-src': ["'self'"],
  'manifest-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['portal-worker'],
});

function readHelmet(directives: Directives, resourcePolicy: 'same-origin' | 'cross-origin' = 'same-origin'): string[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  let failure: unknown;
  secure(directives, resourcePolicy)(request, response, (error) => {
    failure = error;
  });
  if (failure !== undefined) throw failure;
  return response.getHeaderNames().flatMap((header) => [headerCase(header), String(response.getHeader(header))]);
}

function headerCase(header: string): string {
  return header.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
