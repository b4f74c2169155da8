import { once } from 'node:events';
import type { account } from '@market-state/contracts';
import { keyDigest, type KeyKind, type MemberRole } from '@market-state/credentials';
import { unavailable } from '@market-state/errors';
import { createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { testServing } from '@market-state/testing';
import { toProtoRole } from '../../src/serving/auth/credentials';
import { standInBilling } from './account-billing';
import { type StandInCredits, standInCredits } from './account-credits';
import { standInIdempotency } from './account-idempotency';
import { standInKeys } from './account-keys';
import { standInPeople } from './account-people';
import { standInShownReceipts } from './account-shown-receipts';
import { standInReadFigures } from './statistics';
import { createAccountState, newKey } from './account-state';

const HEARTBEAT_EVERY_MS = 250;

export interface StandInAccount {
  readonly address: string;
  readonly credits: StandInCredits;
  /** Minutes of read statistics received from gateways. */
  readonly readMinutes: readonly account.RecordReadMinutesRequest[];
  /** Creates a key with the given grant. */
  issue(grant?: Partial<account.KeyGrant>, kind?: KeyKind): string;
  /** Creates an account and a session, as in the cookie. */
  openSession(email?: string, tenantId?: string, secret?: string): string;
  /** Creates a member with this account id. */
  addMember(accountId: string, tenantId: string): void;
  /** Creates an account with this role in tenant `ten_1`, and a session. */
  openSessionAs(role: MemberRole): string;
  /** Ends a session and notifies watchers. */
  endSession(session: string): void;
  /** Notifies watchers of a changed plan. */
  changeTenant(tenantId: string): void;
  disableTenant(tenantId: string): void;
  /** Requested checkouts, and events forwarded from the billing provider. */
  checkouts(): readonly account.CreateCheckoutRequest[];
  billingEvents(): readonly Buffer[];
  /** Moves its clock ahead of the machine's, in milliseconds. */
  setAheadMs(aheadMs: number): void;
  unknownKey(): string;
  /** Makes exactly this key valid and notifies watchers. */
  adopt(key: string): void;
  /** Makes look-ups of unknown keys and sessions hang until undone or cancelled. */
  holdUnknown(held: boolean): void;
  /** Makes every look-up hang until undone or cancelled. */
  setHung(hung: boolean): void;
  /** Look-ups hanging now. */
  heldTotal(): number;
  /** Revokes a key and notifies watchers. */
  revoke(key: string): void;
  /** Stops or resumes heartbeats on the change stream. */
  setSilent(silent: boolean): void;
  setDown(down: boolean): void;
  breakStreams(): void;
  watcherTotal(): number;
  verifyTotal(): number;
  close(): Promise<void>;
}

/** In-memory account service behind its real protocol. */
export async function startStandInAccount(address = '127.0.0.1:0'): Promise<StandInAccount> {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const state = createAccountState(now);
  const heartbeat = (): account.WatchKeysResponse => ({ message: { $case: 'heartbeat', value: { sentTsMs: now() } } });
  const reported = { checkouts: new Array<account.CreateCheckoutRequest>(), events: new Array<Buffer>() };
  let down = false;
  let silent = false;
  let verifyTotal = 0;
  let hold = new AbortController();
  hold.abort();
  let heldTotal = 0;
  let isHung = false;
  function holdUnknown(held: boolean): void {
    if (held) hold = new AbortController();
    else hold.abort();
  }
  async function whenHeld(isUnknown: boolean, signal: AbortSignal): Promise<void> {
    if (hold.signal.aborted || signal.aborted || !(isUnknown || isHung)) return;
    heldTotal += 1;
    await once(AbortSignal.any([hold.signal, signal]), 'abort').finally(() => (heldTotal -= 1));
    // Sends no answer to callers that have left: one sent at its deadline might still be in time.
    if (!hold.signal.aborted) await new Promise<never>(() => undefined);
  }
  const health = createHealth(['postgres']);
  health.set('postgres', true);
  const refuseWhenDown = (): void => {
    if (down) throw unavailable('upstream_unavailable', 'The store cannot be reached.');
  };
  const isKeyOf = (tenantId: string, keyId: string): boolean =>
    [...state.keys.values()].some((stored) => stored.tenantId === tenantId && stored.record.keyId === keyId);
  const credits = standInCredits(now, isKeyOf);
  const figures = standInReadFigures(refuseWhenDown);
  const services = [
    standInKeys({
      state,
      credits: credits.credits,
      refuseWhenDown,
      onVerify: () => (verifyTotal += 1),
      whenHeld,
      isSilent: () => silent,
      heartbeat,
    }),
    standInPeople(state, refuseWhenDown),
    standInBilling(reported),
    standInIdempotency(),
    standInShownReceipts(refuseWhenDown),
    figures.service,
    credits.service,
  ];
  const beat = setInterval(() => {
    if (!silent) state.changes.send(heartbeat());
  }, HEARTBEAT_EVERY_MS);
  const server: GrpcServer = await startGrpcServer({
    ...testServing('account'),
    address,
    services,
    health,
    logger: silentLogger(),
    shutdownWaitMs: 0,
  });
  return {
    address: server.address,
    credits: credits.credits,
    readMinutes: figures.minutes,
    issue: (grant = {}, kind = 'live') => state.addKey(grant.tenantId ?? 'ten_1', kind, grant, 'A key').key,
    openSession(email = 'a@example.com', tenantId = 'ten_1', secret?: string) {
      const made = state.accounts.get(email) ?? state.addAccount(tenantId, email);
      return state.openSession(made, secret).session;
    },
    addMember(accountId, tenantId) {
      const email = `${accountId}@example.com`;
      state.accounts.set(email, { ...state.addAccount(tenantId, email), accountId });
    },
    openSessionAs: (role) => state.openSession(state.addAccount('ten_1', `${role}@example.com`, toProtoRole(role))).session,
    endSession: (session) => state.endSession(keyDigest(session).toString('hex')),
    changeTenant: (tenantId) => state.changes.send({ message: { $case: 'tenantChanged', value: { tenantId } } }),
    disableTenant: (tenantId) => void state.disabledTenants.add(tenantId),
    checkouts: () => reported.checkouts,
    billingEvents: () => reported.events,
    setAheadMs(aheadMs) {
      ahead = aheadMs;
    },
    unknownKey: () => newKey('live'),
    adopt(key) {
      const stored = state.addKey('ten_1', 'live', {}, 'Adopted');
      state.keys.set(keyDigest(key).toString('hex'), { ...stored, key });
      state.changes.send({ message: { $case: 'changed', value: { keyId: stored.record.keyId, keyDigest: keyDigest(key) } } });
    },
    holdUnknown,
    setHung(hung) {
      isHung = hung;
      holdUnknown(hung);
    },
    heldTotal: () => heldTotal,
    revoke: (key) => state.endKey(keyDigest(key)),
    setSilent(next) {
      silent = next;
    },
    setDown(next) {
      down = next;
      health.set('postgres', !next);
    },
    breakStreams: () => state.changes.breakAll(unavailable('stopping', 'The service is stopping.')),
    watcherTotal: () => state.changes.openTotal(),
    verifyTotal: () => verifyTotal,
    close() {
      clearInterval(beat);
      credits.close();
      return server.close();
    },
  };
}
