export function afterLogin(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  return /^\/(?![/\\])/.test(next) ? next : '/live';
}

export function loginAddress(from: string): string {
  return `/login?next=${encodeURIComponent(from)}`;
}

/** Query with which the login provider returns the browser to the login page; null for any other. */
export function providerAnswer(search: string): string | null {
  return new URLSearchParams(search).has('state') ? search.replace(/^\?/, '') : null;
}

/** Groups of the navigation; pages of `Account` are in the account menu. */
export type PageGroup = 'Market' | 'Data' | 'Trust' | 'Account';

export interface Page {
  /** wouter pattern: a segment that starts with `:` matches any one segment. */
  readonly pattern: string;
  readonly title: string;
  readonly key?: string;
  readonly group?: PageGroup;
  readonly isOpen?: true;
  readonly hasSpan?: true;
  /** Role that its changes need; without one, it has none or says so itself. */
  readonly changes?: 'owner' | 'member';
}

/**
 * All pages in navigation order. The build manifest lists these patterns, and the gateway serves HTML for no other
 * path.
 */
export const PAGES = {
  home: { pattern: '/', title: 'Home', key: 'h', isOpen: true },
  live: { pattern: '/live', title: 'Live', key: 'l', group: 'Market' },
  symbol: { pattern: '/live/:symbol', title: 'Symbol' },
  packet: { pattern: '/packet/:event_id', title: 'Packet' },
  replay: { pattern: '/replay', title: 'Replay', key: 'r', group: 'Market', hasSpan: true },
  search: { pattern: '/search', title: 'Search', key: 's', group: 'Market', hasSpan: true },
  alerts: { pattern: '/alerts', title: 'Alerts', key: 'a', group: 'Market', hasSpan: true, changes: 'member' },
  exports: { pattern: '/exports', title: 'Exports', key: 'e', group: 'Data', hasSpan: true, changes: 'member' },
  webhooks: { pattern: '/webhooks', title: 'Webhooks', key: 'w', group: 'Data', changes: 'member' },
  console: { pattern: '/console', title: 'Console', key: 'c', group: 'Data', isOpen: true },
  verify: { pattern: '/verify', title: 'Verify', key: 'v', group: 'Trust', isOpen: true },
  status: { pattern: '/status', title: 'Status', key: 'i', group: 'Trust' },
  stability: { pattern: '/stability', title: 'Stability', key: 't', group: 'Trust', hasSpan: true },
  lab: { pattern: '/lab', title: 'Policy lab', key: 'y', group: 'Trust', isOpen: true },
  how: { pattern: '/how', title: 'Methodology', key: 'o', group: 'Trust', isOpen: true },
  proof: { pattern: '/proof', title: 'Audit', key: 'p', group: 'Trust', isOpen: true },
  keys: { pattern: '/keys', title: 'API keys', key: 'k', group: 'Account', changes: 'member' },
  usage: { pattern: '/usage', title: 'Usage', key: 'u', group: 'Account' },
  billing: { pattern: '/billing', title: 'Billing', key: 'b', group: 'Account', changes: 'owner' },
  account: { pattern: '/account', title: 'Account and team', key: 'm', group: 'Account', isOpen: true },
  unsubscribe: { pattern: '/unsubscribe', title: 'Unsubscribe', isOpen: true },
  share: { pattern: '/s/:share_id', title: 'Shared packet', isOpen: true },
  login: { pattern: '/login', title: 'Log in', isOpen: true },
  claim: { pattern: '/claim', title: 'Create an account', isOpen: true },
  reset: { pattern: '/reset', title: 'Choose a new password', isOpen: true },
  join: { pattern: '/join', title: 'Join a team', isOpen: true },
} as const satisfies Readonly<Record<string, Page>>;

export type PageName = keyof typeof PAGES;

/** Also served by the gateway. */
export const DOCS = '/docs';
