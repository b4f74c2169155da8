import { secretDigest } from '@market-state/credentials';
import { openApiDocument } from '../../src/serving/openapi/document';
import type { Operation } from '../../src/serving/openapi/operations';
import { downloadRoute } from '../../src/routes/data/export-jobs';
import { READY_JOB } from './export';
import { FEED_CLOCK_MS } from './made-rows';
import { LINK_SECRET } from './secrets';
import type { StandInAccount } from './account';
import type { StandInLabeling } from './labeling';
import { packetRecord } from './packet-record';
import { GOOD_SIGNATURE } from './account-billing';
import { OIDC_COOKIE } from '../../src/routes/account/account-deps';
import { CLAIM_TOKEN, EMAIL_CODE, FACTOR_CODE, idOf, OIDC_SECRET, RESET_TOKEN } from './account-people';
import { SEEDED_PASSWORD } from './account-state';
import { INVITATION_TOKEN, PENDING_INVITATION } from './account-team';
import type { RawRequest } from './http-client';
import { DONE_TASK, SENT_MESSAGE, UNSUBSCRIBE_TOKEN } from './webhook';
import { KEPT_SHARE, OLD_EVENT, SPARE_SHARE } from './shares';
import { KEPT_SEARCH, SPARE_SEARCH } from './saved-searches';
import { KEPT_ALERT, KEPT_WATCHLIST, SPARE_ALERT, SPARE_WATCHLIST } from './watchlists';
import { LIVE_ENDPOINT, SPARE_ENDPOINT } from './webhook-endpoints';

const RECENT = new Date(Date.now() - 3_600_000).toISOString();

const SEEDED_EMAIL = 'seeded@example.com';

/** Key that tests may change and revoke. */
const SPARE_KEY_ID = 'key_spare';

/** Member that tests may change and remove. */
const SPARE_MEMBER = 'acc_spare';

/** Session that tests may end. */
const SPARE_SESSION = 'S'.repeat(43);

/** Operations on the account of a session; a key has none. */
export const NEEDS_SESSION: ReadonlySet<string> = new Set([
  'requestEmailChange',
  'confirmEmailChange',
  'beginSecondFactor',
  'confirmSecondFactor',
  'disableSecondFactor',
  'createRecoveryCodes',
  'leaveTeam',
]);

/** Minimal valid body by operation. */
const BODIES: Readonly<Record<string, unknown>> = {
  claimAccount: { email: 'new@example.com', password: 'x'.repeat(12), claim_token: CLAIM_TOKEN },
  logIn: { email: SEEDED_EMAIL, password: SEEDED_PASSWORD },
  finishOidcLogin: { query: 'code=x&state=x' },
  requestPasswordReset: { email: SEEDED_EMAIL },
  confirmPasswordReset: { reset_token: RESET_TOKEN, new_password: 'x'.repeat(12) },
  requestEmailChange: { new_email: 'new@example.com', current_password: SEEDED_PASSWORD },
  confirmEmailChange: { code: EMAIL_CODE },
  beginSecondFactor: { current_password: SEEDED_PASSWORD },
  confirmSecondFactor: { code: FACTOR_CODE },
  disableSecondFactor: { current_password: SEEDED_PASSWORD, code: FACTOR_CODE },
  createRecoveryCodes: { current_password: SEEDED_PASSWORD, code: FACTOR_CODE },
  updateMember: { role: 'member' },
  createInvitation: { email: 'invited@example.com', role: 'read_only' },
  acceptInvitation: { invitation_token: INVITATION_TOKEN, password: 'x'.repeat(12) },
  createCheckoutSession: { plan_id: 'public_pro' },
  receiveBillingEvent: {},
  createKey: { name: 'n', scopes: ['read'] },
  updateKey: { name: 'n' },
  setSpendControls: { monthly_credit_cap: 1_000_000, daily_credit_cap: null, per_call_credit_ceiling: null, export_credit_cap: null },
  createShare: { event_id: OLD_EVENT },
  createWatchlist: { name: 'n', symbols: ['BTCUSD-PERP'], rules: [{ kind: 'state_changed' }] },
  updateWatchlist: { name: 'n' },
  createSavedSearch: { name: 'n', query: {} },
  updateSavedSearch: { name: 'n' },
  createAlert: { name: 'n', symbol: 'BTCUSD-PERP', rule: { kind: 'feed_stale' } },
  updateAlert: { muted: true },
  sendMcpMessage: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  rehearseAlerts: { symbols: ['BTCUSD-PERP'], rules: [{ kind: 'state_changed' }] },
  createWebhook: { url: 'https://example.com/hook', event_kinds: ['packet.created'] },
  updateWebhook: { description: 'd' },
  confirmWebhook: { code: '12345678' },
  recoverWebhook: { since: RECENT },
  replayMissingWebhook: { since: RECENT },
  resendWebhookEvent: { webhook_id: LIVE_ENDPOINT },
};

/** Headers other than those of the body, by operation. */
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  receiveBillingEvent: { 'stripe-signature': GOOD_SIGNATURE },
  finishOidcLogin: { cookie: `${OIDC_COOKIE}=${OIDC_SECRET}`, 'sec-fetch-site': 'same-origin' },
};

/**
 * Stores the packets that valid requests read: of the window ending at `windowEndMs`, and of 1 and 15 minutes earlier.
 */
export function seedPackets(labeling: StandInLabeling, windowEndMs: number): void {
  for (const ageMs of [900_000, 60_000, 0]) labeling.store(packetRecord('BTCUSD-PERP', windowEndMs - ageMs));
}

/** Creates the account and key that valid requests refer to. */
export function seedGoodRequests(account: StandInAccount, tenantId = 'ten_1'): void {
  account.addMember(SPARE_MEMBER, tenantId);
  account.openSession(SEEDED_EMAIL, tenantId);
  account.openSession(undefined, tenantId, SPARE_SESSION);
  account.issue({ keyId: SPARE_KEY_ID, tenantId });
}

/** Valid download route of the seeded job's file, at this operation's path or its twin's. */
function fileRoute(operation: Operation): string {
  return downloadRoute(operation, { tenantId: 'ten_1', jobId: READY_JOB, name: 'manifest.json' }, Date.now() + 600_000, LINK_SECRET);
}

/** A few rows of a replay. */
const REPLAYED = `start=${FEED_CLOCK_MS - 5_000}&end=${FEED_CLOCK_MS}`;

/** Path of an operation with existing ids. */
function pathOf(operation: Operation, windowEndMs: number): string {
  if (operation.servedAs === 'getExportFile') return fileRoute(operation);
  if (operation.servedAs === 'getReplayWindow') return `${operation.path}?${REPLAYED}`;
  const values: Readonly<Record<string, string>> = {
    '{connector_id}': 'rest',
    '{event_id}': eventIdAt(windowEndMs),
    '{account_id}': SPARE_MEMBER,
    '{invitation_id}': PENDING_INVITATION,
    '{key_id}': SPARE_KEY_ID,
    '{session_id}': idOf(secretDigest(SPARE_SESSION).toString('hex')),
    '{job_id}': READY_JOB,
    '{webhook_id}': operation.operationId === 'deleteWebhook' ? SPARE_ENDPOINT : LIVE_ENDPOINT,
    '{share_id}': operation.operationId === 'revokeShare' ? SPARE_SHARE : KEPT_SHARE,
    '{watchlist_id}': operation.operationId === 'deleteWatchlist' ? SPARE_WATCHLIST : KEPT_WATCHLIST,
    '{alert_id}': operation.operationId === 'deleteAlert' ? SPARE_ALERT : KEPT_ALERT,
    '{saved_search_id}': operation.operationId === 'deleteSavedSearch' ? SPARE_SEARCH : KEPT_SEARCH,
    '{message_id}': SENT_MESSAGE,
    '{task_id}': DONE_TASK,
    '{token}': UNSUBSCRIBE_TOKEN,
  };
  return operation.path.replace(/\{[^}]+\}/g, (name) => values[name] ?? 'some-id');
}

function eventIdAt(windowEndMs: number): string {
  return `evt_BTCUSD-PERP_${windowEndMs}`;
}

function bodyOf({ operationId }: Operation, windowEndMs: number): unknown {
  return operationId === 'createPacketFeedback' ? { event_id: eventIdAt(windowEndMs), label: 'useful' } : (BODIES[operationId] ?? {});
}

/** Valid request of an operation, as a browser on a page of this service sends it, without a credential. */
export function goodRequest(operation: Operation, windowEndMs: number): RawRequest & { readonly path: string } {
  const path = pathOf(operation, windowEndMs);
  if (operation.method === 'get') return { path };
  const body = operation.body === null ? undefined : JSON.stringify(bodyOf(operation, windowEndMs));
  return {
    path,
    method: operation.method.toUpperCase(),
    body,
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...HEADERS[operation.operationId] },
  };
}

/** True if an operation answers with an event stream. */
export function answersWithEvents({ path, method }: Operation): boolean {
  return openApiDocument.paths[path]?.[method]?.responses?.['200']?.content?.['text/event-stream'] !== undefined;
}
