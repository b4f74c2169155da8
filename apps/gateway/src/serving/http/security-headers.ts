import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

const YEAR_SECONDS = 31_536_000;

type Directives = Readonly<Record<string, Iterable<string>>>;

/** What no answer may do, page or not. */
const NOTHING: Directives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"], 'base-uri': ["'none'"], 'form-action': ["'none'"] };

const secure = (directives: Directives, resourcePolicy: 'same-origin' | 'cross-origin') =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: { maxAge: YEAR_SECONDS, includeSubDomains: true },
    crossOriginResourcePolicy: { policy: resourcePolicy },
    referrerPolicy: { policy: 'no-referrer' },
    // These speak to pages, plug-ins and browsers that never see an answer of this API; each header costs every request.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });

/** What helmet sets on every answer, taken from it once: name and value in turns. */
export const SECURITY_HEADERS: readonly string[] = readHelmet(NOTHING);

/** The same of a picture that pages of others may hold. */
export const EMBEDDED_SECURITY_HEADERS: readonly string[] = readHelmet(NOTHING, 'cross-origin');

/** The same of a page of documentation: a style and pictures of this server, and no script at all. */
export const DOCS_SECURITY_HEADERS: readonly string[] = readHelmet({ ...NOTHING, 'style-src': ["'self'"], 'img-src': ["'self'", 'data:'] });

/** The same of the portal: its own files alone, a worker among them, and no text that could become script. */
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
