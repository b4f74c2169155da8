/** Where to go after the login: a path of this page that was asked for, else the live view. */
export function afterLogin(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  return /^\/(?![/\\])/.test(next) ? next : '/live';
}

/** The login, with the address that it leads back to. */
export function loginAddress(from: string): string {
  return `/login?next=${encodeURIComponent(from)}`;
}
