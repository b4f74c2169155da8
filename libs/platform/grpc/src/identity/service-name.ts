const DOMAIN = 'market-state.internal';
const ALONE = new RegExp(`^DNS:([a-z][a-z0-9-]{0,62})\\.${DOMAIN.replace('.', '\\.')}$`);

/** The DNS name in the certificate of a service, among its subject alternative names. */
export function certificateNameOf(service: string): string {
  return `${service}.${DOMAIN}`;
}

/**
 * The service that a certificate's subject alternative names name, as Node writes them; undefined when they name none or more than one,
 * or contain a quoted name.
 */
export function serviceOfNames(names: string | undefined): string | undefined {
  if (names === undefined || names.includes('"')) return undefined;
  const services = names.split(', ').flatMap((name) => ALONE.exec(name)?.[1] ?? []);
  return services.length === 1 ? services[0] : undefined;
}
