import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

const API = '/api/public/market-state';
/** Packets can be shared 600 s after publication. */
const SHAREABLE_MS = 660_000;

interface SharedEvent {
  readonly shareId: string;
  readonly eventId: string;
}

export async function sharePacket(url: string, key: string): Promise<SharedEvent> {
  const headers = { 'x-market-state-api-key': key, 'content-type': 'application/json' };
  const toMs = Date.now() - SHAREABLE_MS;
  const span = `symbol=BTCUSD-PERP&from=${toMs - 120_000}&to=${toMs}&limit=1`;
  const found = await fetch(`${url}${API}/history?${span}`, { headers });
  const { rows = [] } = (await found.json()) as { readonly rows?: readonly { readonly event_id: string }[] };
  const eventId = rows[0]?.event_id ?? '';
  const made = await fetch(`${url}${API}/shares`, { method: 'POST', headers, body: JSON.stringify({ event_id: eventId }) });
  if (made.status !== 200) throw new Error(`The packet was not shared: ${made.status} ${await made.text()}`);
  return { shareId: ((await made.json()) as { readonly share_id: string }).share_id, eventId };
}

interface PortalPage {
  readonly pattern: string;
  readonly isOpen: boolean;
  readonly words: string;
}

/** Every page of the portal. `pathOf` fills in a pattern. */
export const PORTAL_PAGES: readonly PortalPage[] = [
  { pattern: '/', isOpen: true, words: 'How one of them was made' },
  { pattern: '/live', isOpen: false, words: 'The two lines in each score bar' },
  { pattern: '/login', isOpen: true, words: 'Forgot your password?' },
  { pattern: '/claim', isOpen: true, words: 'Create account' },
  { pattern: '/reset', isOpen: true, words: 'Send link' },
  { pattern: '/join', isOpen: true, words: 'Open the link in your invitation email' },
  { pattern: '/unsubscribe', isOpen: true, words: 'Open this page by the link in an email' },
  { pattern: '/account', isOpen: true, words: 'Change your email' },
  { pattern: '/packet/:event_id', isOpen: false, words: 'signed with a published key valid at the time' },
  { pattern: '/live/:symbol', isOpen: false, words: 'spread' },
  { pattern: '/replay', isOpen: false, words: 'Not loaded yet:' },
  { pattern: '/search', isOpen: false, words: 'Enter a search to begin' },
  { pattern: '/stability', isOpen: false, words: 'Transitions' },
  { pattern: '/lab', isOpen: true, words: 'Policy values that differ' },
  { pattern: '/usage', isOpen: false, words: 'This usage on each plan' },
  { pattern: '/keys', isOpen: false, words: 'Creating, changing and revoking keys' },
  { pattern: '/alerts', isOpen: false, words: 'Test on the last' },
  { pattern: '/webhooks', isOpen: false, words: 'Verify a signature' },
  { pattern: '/exports', isOpen: false, words: 'Get a quote' },
  { pattern: '/s/:share_id', isOpen: true, words: 'signed with a published key valid at the time' },
  { pattern: '/verify', isOpen: true, words: 'Check pasted text' },
  { pattern: '/how', isOpen: true, words: 'Counterevidence' },
  { pattern: '/proof', isOpen: true, words: 'What was it made from, and what was missing?' },
  { pattern: '/console', isOpen: true, words: 'No operation selected' },
  { pattern: '/status', isOpen: false, words: 'over the last 31 days' },
  { pattern: '/billing', isOpen: false, words: 'Buy a top-up for $39.00' },
];

interface PageSubject {
  readonly symbol: string;
  readonly eventId: string;
  readonly shareId: string;
}

export function pathOf(pattern: string, { symbol, eventId, shareId }: PageSubject): string {
  return pattern.replace(':symbol', symbol).replace(':event_id', eventId).replace(':share_id', shareId);
}

/** Page patterns of the built portal; the gateway serves no others. */
export function servedPages(): readonly string[] {
  const text = readFileSync(join(workspaceRoot(), 'dist', 'portal', 'portal.json'), 'utf8');
  const { pages } = JSON.parse(text) as { readonly pages: readonly { readonly pattern: string }[] };
  return pages.map(({ pattern }) => pattern);
}
