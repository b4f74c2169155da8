export { type CertificateAndKey, makeAuthority, makeServiceCertificate } from './make-certificates';
