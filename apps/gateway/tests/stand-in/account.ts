import { randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import { formatKey, KEY_RANDOM_SIZE_BYTES, keyDigest, type KeyKind } from '@market-state/credentials';
import { unavailable } from '@market-state/errors';
import { bindService, createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { createBroadcast } from './broadcast';

const HEARTBEAT_EVERY_MS = 250;

export interface StandInAccount {
  readonly address: string;
  /** Makes a key that opens what `grant` says. */
  issue(grant?: Partial<account.KeyGrant>, kind?: KeyKind): string;
  /** A well-formed key that account does not know. */
  unknownKey(): string;
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

export async function startStandInAccount(address = '127.0.0.1:0'): Promise<StandInAccount> {
  const grants = new Map<string, account.KeyGrant>();
  const changes = createBroadcast<account.WatchKeysResponse>();
  const heartbeat = (): account.WatchKeysResponse => ({ message: { $case: 'heartbeat', value: { sentTsMs: Date.now() } } });
  let down = false;
  let silent = false;
  let verifyTotal = 0;
  const health = createHealth(['postgres']);
  health.set('postgres', true);
  const newKey = (kind: KeyKind) => formatKey(kind, randomBytes(KEY_RANDOM_SIZE_BYTES));
  const service = bindService(account.KeyServiceService, {
    async verifyKey({ keyDigest: digest }) {
      verifyTotal += 1;
      if (down) throw unavailable('upstream_unavailable', 'The store cannot be reached.');
      return { grant: grants.get(digest.toString('hex')) };
    },
    async issueKey() {
      throw unavailable('starting', 'Not part of this stand-in.');
    },
    async revokeKey() {
      throw unavailable('starting', 'Not part of this stand-in.');
    },
    async *watchKeys(_request, { signal }) {
      if (!silent) yield heartbeat();
      yield* changes.subscribe(signal);
    },
  });
  const beat = setInterval(() => {
    if (!silent) changes.send(heartbeat());
  }, HEARTBEAT_EVERY_MS);
  const server: GrpcServer = await startGrpcServer({ address, services: [service], health, logger: silentLogger(), shutdownWaitMs: 0 });
  return {
    address: server.address,
    issue(grant = {}, kind = 'live') {
      const key = newKey(kind);
      grants.set(keyDigest(key).toString('hex'), {
        keyId: `key_${grants.size + 1}`,
        tenantId: 'ten_1',
        kind: kind === 'live' ? account.KeyKind.LIVE : account.KeyKind.TEST,
        scopes: [account.Scope.READ],
        expiresTsMs: 0,
        ...grant,
      });
      return key;
    },
    unknownKey: () => newKey('live'),
    revoke(key) {
      const digest = keyDigest(key);
      const keyId = grants.get(digest.toString('hex'))?.keyId ?? '';
      grants.delete(digest.toString('hex'));
      changes.send({ message: { $case: 'changed', value: { keyId, keyDigest: digest } } });
    },
    setSilent(next) {
      silent = next;
    },
    setDown(next) {
      down = next;
      health.set('postgres', !next);
    },
    breakStreams: () => changes.breakAll(unavailable('stopping', 'The service is stopping.')),
    watcherTotal: () => changes.openTotal(),
    verifyTotal: () => verifyTotal,
    close() {
      clearInterval(beat);
      return server.close();
    },
  };
}
