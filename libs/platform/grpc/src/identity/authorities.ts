import { X509Certificate } from 'node:crypto';

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
/** Certificates between that of a service and its authority, at most. */
const STEPS_MAX = 5;
/** Certificates of callers whose check is cached. */
const MEMO_SIZE = 100;

/** Every certificate in PEM text, in its order. Throws where one cannot be read. */
export function certificatesIn(pem: Buffer): X509Certificate[] {
  return (pem.toString('latin1').match(PEM_BLOCK) ?? []).map((block) => new X509Certificate(block));
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Whether a certificate leads to one of the authorities, through those between. */
export function leadsTo(
  authorities: readonly X509Certificate[],
  certificate: X509Certificate,
  between: readonly X509Certificate[],
): boolean {
  let current: X509Certificate | undefined = certificate;
  for (let step = 0; current !== undefined && step <= STEPS_MAX; step += 1) {
    const signed: X509Certificate = current;
    if (authorities.some((authority) => isSignedBy(signed, authority))) return true;
    current = between.find((issuer) => issuer !== signed && isSignedBy(signed, issuer));
  }
  return false;
}

/** Whether the certificate of a caller, in DER, is one of an authority in use: a connection outlives a change of authorities. */
export type AuthorityCheck = (certificate: Buffer) => boolean;

/** Checks callers against the authorities of `authority`; certificates between are taken from `certificate`, the service's own file. */
export function createAuthorityCheck({
  authority,
  certificate,
}: {
  readonly authority: Buffer;
  readonly certificate: Buffer;
}): AuthorityCheck {
  const authorities = certificatesIn(authority);
  const between = certificatesIn(certificate).slice(1);
  const memo = new Map<string, boolean>();
  return (der) => {
    const key = der.toString('latin1');
    const known = memo.get(key);
    if (known !== undefined) return known;
    const isOurs = leadsTo(authorities, new X509Certificate(der), between);
    if (memo.size >= MEMO_SIZE) memo.clear();
    memo.set(key, isOurs);
    return isOurs;
  };
}
