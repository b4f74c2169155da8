export function afterLogin(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  return /^\/(?![/\\])/.test(next) ? next : '/live';
}

export function loginAddress(from: string): string {
  return `/login?next=${encodeURIComponent(from)}`;
}

export interface Page {
  /** wouter pattern: a segment that starts with `:` matches any one segment. */
  readonly pattern: string;
  readonly title: string;
  readonly key?: string;
  readonly isOpen?: true;
  readonly hasSpan?: true;
}

/**
 * All pages in navigation order. The build manifest lists these patterns, and the gateway serves HTML for no other
 * path.
 */
export const PAGES = {
  home: { pattern: '/', title: 'Recompute a packet', key: 'h', isOpen: true },
  live: { pattern: '/live', title: 'Live', key: 'l' },
  symbol: { pattern: '/live/:symbol', title: 'Symbol' },
  packet: { pattern: '/packet/:event_id', title: 'Packet' },
  replay: { pattern: '/replay', title: 'Replay', key: 'r', hasSpan: true },
  search: { pattern: '/search', title: 'Search', key: 's', hasSpan: true },
  stability: { pattern: '/stability', title: 'Stability', key: 't', hasSpan: true },
  lab: { pattern: '/lab', title: 'Your policy', key: 'y', isOpen: true },
  keys: { pattern: '/keys', title: 'Keys', key: 'k' },
  alerts: { pattern: '/alerts', title: 'Alerts', key: 'a', hasSpan: true },
  webhooks: { pattern: '/webhooks', title: 'Webhooks', key: 'w' },
  exports: { pattern: '/exports', title: 'Exports', key: 'e', hasSpan: true },
  usage: { pattern: '/usage', title: 'Usage', key: 'u' },
  billing: { pattern: '/billing', title: 'Billing', key: 'b' },
  console: { pattern: '/console', title: 'Console', isOpen: true },
  status: { pattern: '/status', title: 'Status', key: 'i' },
  verify: { pattern: '/verify', title: 'Verify', isOpen: true },
  how: { pattern: '/how', title: 'How', key: 'o', isOpen: true },
  proof: { pattern: '/proof', title: 'Proof', key: 'p', isOpen: true },
  share: { pattern: '/s/:share_id', title: 'Shared packet', isOpen: true },
  login: { pattern: '/login', title: 'Log in', isOpen: true },
  claim: { pattern: '/claim', title: 'Create an account', isOpen: true },
  reset: { pattern: '/reset', title: 'Choose a new password', isOpen: true },
} as const satisfies Readonly<Record<string, Page>>;

export type PageName = keyof typeof PAGES;
