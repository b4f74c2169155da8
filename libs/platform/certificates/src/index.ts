export { type CertificateAndKey, makeAuthority, makeServiceCertificate, type ServiceCertificateOptions } from './make-certificates';
