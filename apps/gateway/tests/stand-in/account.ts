import { once } from 'node:events';
import type { account } from '@market-state/contracts';
import { keyDigest, type KeyKind } from '@market-state/credentials';
import { unavailable } from '@market-state/errors';
import { createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { testServing } from '@market-state/testing';
import { standInBilling } from './account-billing';
import { type StandInCredits, standInCredits } from './account-credits';
import { standInIdempotency } from './account-idempotency';
import { standInKeys } from './account-keys';
import { standInPeople } from './account-people';
import { standInShownReceipts } from './account-shown-receipts';
import { standInReadFigures } from './figures';
import { createAccountState, newKey, SEEDED_PASSWORD } from './account-state';

const HEARTBEAT_EVERY_MS = 250;

export interface StandInAccount {
  readonly address: string;
  readonly credits: StandInCredits;
  /** What gateways have counted of reads and handed on. */
  readonly readMinutes: readonly account.RecordReadMinutesRequest[];
  /** Makes a key that opens what `grant` says. */
  issue(grant?: Partial<account.KeyGrant>, kind?: KeyKind): string;
  /** Makes an account and a session of it, as the cookie carries it. */
  openSession(email?: string, tenantId?: string): string;
  /** Ends a session and tells the watchers. */
  endSession(session: string): void;
  /** Tells the watchers that a tenant's plan has changed. */
  changeTenant(tenantId: string): void;
  /** Disables a tenant. */
  disableTenant(tenantId: string): void;
  /** Checkouts that were asked for, and events of the billing provider that were handed on. */
  checkouts(): readonly account.CreateCheckoutRequest[];
  billingEvents(): readonly Buffer[];
  /** Moves its clock to so far ahead of the machine's, milliseconds. */
  setAheadMs(aheadMs: number): void;
  /** A well-formed key that account does not know. */
  unknownKey(): string;
  /** Makes this very key good, and tells the watchers. */
  adopt(key: string): void;
  /** Makes look-ups of unknown keys and sessions hang until this is undone or their callers leave. */
  holdUnknown(held: boolean): void;
  /** Makes every look-up hang until this is undone or its caller leaves. */
  setHung(hung: boolean): void;
  /** Look-ups that hang now. */
  heldTotal(): number;
  /** Ends a key and tells the watchers. */
  revoke(key: string): void;
  /** Stops or takes up again the heartbeats on the stream of changes. */
  setSilent(silent: boolean): void;
  setDown(down: boolean): void;
  breakStreams(): void;
  watcherTotal(): number;
  verifyTotal(): number;
  close(): Promise<void>;
}

/** The account service over memory, behind its own protocol. */
export async function startStandInAccount(address = '127.0.0.1:0'): Promise<StandInAccount> {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const state = createAccountState(now);
  const heartbeat = (): account.WatchKeysResponse => ({ message: { $case: 'heartbeat', value: { sentTsMs: now() } } });
  const told = { checkouts: new Array<account.CreateCheckoutRequest>(), events: new Array<Buffer>() };
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
    // Who has left gets no answer: one that is sent at its deadline may still be in time.
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
    standInBilling(told),
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
    openSession(email = 'a@example.com', tenantId = 'ten_1') {
      const made = state.accounts.get(email) ?? { accountId: `acc_${state.accounts.size + 1}`, tenantId, email, password: SEEDED_PASSWORD };
      state.accounts.set(email, made);
      return state.openSession(made).session;
    },
    endSession: (session) => state.endSession(keyDigest(session).toString('hex')),
    changeTenant: (tenantId) => state.changes.send({ message: { $case: 'tenantChanged', value: { tenantId } } }),
    disableTenant: (tenantId) => void state.disabledTenants.add(tenantId),
    checkouts: () => told.checkouts,
    billingEvents: () => told.events,
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
