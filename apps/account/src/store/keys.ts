import type { MemberRole } from '@market-state/credentials';
import { type Queryable, run, createListener, type Listener } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import type { Logger } from '@market-state/logging';
import type { Ceiling } from '../credits/credit-ledger';
import type { KeyChange, KeyOfTenant, KeyScope, StoredKey } from '../keys/key';
import type { ApiKey } from './generated/tables';
import { ceilingJson } from './spend-limits';
import type { PageStart } from './page-starts';
import { tables } from './tables';
import type { WatchMessage } from '../keys/key-watch';

const CEILING = `(SELECT ${ceilingJson('c')} FROM credit_ceiling c WHERE c.id = k.ceiling_id)`;

const FIND_BY_DIGEST = {
  name: 'find-key-by-digest',
  text: `SELECT k.id, k.tenant_id, k.name, k.kind, k.scopes::text[] AS scopes, k.digest, k.display_first, k.display_last, k.created_at,
           k.expires_at, k.revoked_at, k.last_used_at, k.operation_id, ${CEILING} AS ceiling,
           k.calls_per_minute, k.rate_key_id,
           t.plan_id, t.disabled
         FROM api_key k JOIN tenant t ON t.id = k.tenant_id WHERE k.digest = $1`,
};

/** Columns of `api_key k`; scopes are cast to text[], which the driver can parse. */
const COLUMNS = [
  'k.id',
  'k.tenant_id',
  'k.name',
  'k.kind',
  sql<KeyScope[]>`k.scopes::text[]`.as('scopes'),
  'k.digest',
  'k.display_first',
  'k.display_last',
  'k.created_at',
  'k.expires_at',
  'k.revoked_at',
  'k.last_used_at',
  'k.operation_id',
  sql<Ceiling | null>`${sql.raw(CEILING)}`.as('ceiling'),
  'k.calls_per_minute',
  'k.rate_key_id',
] as const;

type KeyRow = Omit<Selectable<ApiKey>, 'scopes' | 'ceiling_id'> & { readonly scopes: KeyScope[]; readonly ceiling: Ceiling | null };

export async function findKeyByDigest(on: Queryable, digest: Uint8Array): Promise<KeyOfTenant | null> {
  const { rows } = await on.query<KeyRow & { plan_id: string | null; disabled: boolean }>({ ...FIND_BY_DIGEST, values: [digest] });
  const [row] = rows;
  return row === undefined ? null : { ...fromRow(row), planId: row.plan_id, tenantDisabled: row.disabled };
}

const ROLE_OF_CREDENTIAL = `
  SELECT 'owner' AS role FROM api_key WHERE digest = $2 AND tenant_id = $1 AND 'account' = ANY(scopes) AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > $3) AND EXISTS (SELECT FROM tenant WHERE id = $1 AND NOT disabled)
  UNION ALL
  SELECT a.role::text FROM session s JOIN account a ON a.id = s.account_id JOIN tenant t ON t.id = a.tenant_id
    WHERE s.digest = $2 AND a.tenant_id = $1 AND s.expires_at > $3 AND NOT t.disabled`;

/** Null unless it is an active session, or a key with scope `account`, of an enabled tenant. Such a key may do what an owner may. */
export async function roleOfCredential(on: Queryable, tenantId: string, digest: Uint8Array, nowMs: number): Promise<MemberRole | null> {
  const { rows } = await on.query<{ role: MemberRole }>(ROLE_OF_CREDENTIAL, [tenantId, digest, new Date(nowMs)]);
  return rows[0]?.role ?? null;
}

export async function listKeys(on: Queryable, tenantId: string, limit: number, after: PageStart | null): Promise<StoredKey[]> {
  const ofTenant = tables.selectFrom('api_key as k').select(COLUMNS).where('k.tenant_id', '=', tenantId);
  const behind = after === null ? ofTenant : ofTenant.where(sql<boolean>`(k.created_at, k.id) < (${new Date(after.atMs)}, ${after.id})`);
  const { rows } = await run(on, behind.orderBy('k.created_at', 'desc').orderBy('k.id', 'desc').limit(limit));
  return rows.map(fromRow);
}

export async function findExpiredKeys(on: Queryable, fromMs: number, toMs: number): Promise<KeyChange[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('api_key')
      .select(['id', 'digest'])
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', new Date(fromMs))
      .where('expires_at', '<=', new Date(toMs)),
  );
  return rows.map((row) => ({ keyId: row.id, digest: row.digest }));
}

const COUNT_ACTIVE = `
  SELECT (SELECT count(*)::int FROM api_key WHERE tenant_id = $1 AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > $2)) AS total,
    (SELECT plan_id FROM tenant WHERE id = $1) AS plan_id`;

export async function countActiveKeys(
  on: Queryable,
  tenantId: string,
  nowMs: number,
): Promise<{ readonly total: number; readonly planId: string | null }> {
  const { rows } = await on.query<{ total: number; plan_id: string | null }>(COUNT_ACTIVE, [tenantId, new Date(nowMs)]);
  return { total: rows[0]?.total ?? 0, planId: rows[0]?.plan_id ?? null };
}

export async function insertKey(on: Queryable, key: StoredKey): Promise<void> {
  await run(
    on,
    tables.insertInto('api_key').values({
      id: key.id,
      tenant_id: key.tenantId,
      name: key.name,
      kind: key.kind,
      scopes: toScopes(key.scopes),
      digest: Buffer.from(key.digest),
      display_first: key.display.first,
      display_last: key.display.last,
      created_at: new Date(key.createdTsMs),
      expires_at: toDate(key.expiresTsMs),
      operation_id: key.operationId,
      ceiling_id: key.ceiling?.id ?? null,
      ...rateColumns(key.rate),
    }),
  );
}

export async function lockKeyOfOperation(on: Queryable, tenantId: string, operationId: string): Promise<StoredKey | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('api_key as k')
      .select(COLUMNS)
      .where('k.tenant_id', '=', tenantId)
      .where('k.operation_id', '=', operationId)
      .forUpdate(),
  );
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** Null also for another tenant's key. */
export async function lockKey(on: Queryable, tenantId: string, keyId: string): Promise<StoredKey | null> {
  const { rows } = await run(
    on,
    tables.selectFrom('api_key as k').select(COLUMNS).where('k.id', '=', keyId).where('k.tenant_id', '=', tenantId).forUpdate(),
  );
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

const LOCK_SHARING = `
  SELECT id FROM api_key WHERE tenant_id = $1 AND (id = $2 OR ceiling_id = (SELECT ceiling_id FROM api_key WHERE id = $2)
    OR rate_key_id = (SELECT rate_key_id FROM api_key WHERE id = $2))
  ORDER BY id FOR UPDATE`;

/** Locks a key and those sharing its ceiling or rate, always in the same order. */
export async function lockKeysSharing(on: Queryable, tenantId: string, keyId: string): Promise<void> {
  await on.query(LOCK_SHARING, [tenantId, keyId]);
}

export async function hasKey(on: Queryable, tenantId: string, keyId: string): Promise<boolean> {
  const { rowCount } = await run(on, tables.selectFrom('api_key').select('id').where('id', '=', keyId).where('tenant_id', '=', tenantId));
  return rowCount !== 0;
}

export async function writeSecret(on: Queryable, { id, digest, display }: Pick<StoredKey, 'id' | 'digest' | 'display'>): Promise<void> {
  await run(
    on,
    tables
      .updateTable('api_key')
      .set({ digest: Buffer.from(digest), display_first: display.first, display_last: display.last })
      .where('id', '=', id),
  );
}

export async function writeKey(
  on: Queryable,
  key: Pick<StoredKey, 'id' | 'name' | 'scopes' | 'expiresTsMs' | 'ceiling' | 'rate'>,
): Promise<void> {
  await run(
    on,
    tables
      .updateTable('api_key')
      .set({
        name: key.name,
        scopes: toScopes(key.scopes),
        expires_at: toDate(key.expiresTsMs),
        ceiling_id: key.ceiling?.id ?? null,
        ...rateColumns(key.rate),
      })
      .where('id', '=', key.id),
  );
}

/** Replaces the rate of all keys whose rate was set for the same key. */
export async function writeSharedRate(on: Queryable, tenantId: string, rateKeyId: string, rate: StoredKey['rate']): Promise<void> {
  await run(
    on,
    tables.updateTable('api_key').set(rateColumns(rate)).where('tenant_id', '=', tenantId).where('rate_key_id', '=', rateKeyId),
  );
}

function rateColumns(rate: StoredKey['rate']) {
  return { calls_per_minute: rate?.callsPerMinute ?? null, rate_key_id: rate?.keyId ?? null };
}

/** Returns the key's tenant; null if there is no such unrevoked key. `tenantId` null matches any tenant. */
export async function revokeKey(
  on: Queryable,
  keyId: string,
  tenantId: string | null,
  nowMs: number,
): Promise<{ tenantId: string } | null> {
  const ofAny = tables
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${new Date(nowMs)})` })
    .where('id', '=', keyId);
  const { rows } = await run(on, (tenantId === null ? ofAny : ofAny.where('tenant_id', '=', tenantId)).returning('tenant_id'));
  return rows[0] === undefined ? null : { tenantId: rows[0].tenant_id };
}

export async function revokeKeysOf(on: Queryable, tenantId: string, nowMs: number): Promise<StoredKey[]> {
  const now = new Date(nowMs);
  const { rows } = await run(
    on,
    tables
      .updateTable('api_key as k')
      .set({ revoked_at: now })
      .where('k.tenant_id', '=', tenantId)
      .where('k.revoked_at', 'is', null)
      .where((where) => where.or([where('k.expires_at', 'is', null), where('k.expires_at', '>', now)]))
      .returning(COLUMNS),
  );
  return rows.map(fromRow).sort((one, other) => one.createdTsMs - other.createdTsMs);
}

/** Does nothing if the stored use is after `unlessSinceMs`. */
export async function writeLastUsed(on: Queryable, keyId: string, usedTsMs: number, unlessSinceMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('api_key')
      .set({ last_used_at: new Date(usedTsMs) })
      .where('id', '=', keyId)
      .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', new Date(unlessSinceMs))])),
  );
}

interface KeyUse {
  readonly keyId: string;
  readonly usedTsMs: number;
}

/** Locks rows in a fixed order, which prevents deadlocks. */
const WRITE_USES = `
  WITH due AS (
    SELECT k.id, used.at FROM api_key k JOIN unnest($1::text[], $2::timestamptz[]) AS used(id, at) ON used.id = k.id
    WHERE k.last_used_at IS NULL OR k.last_used_at < used.at
    ORDER BY k.id FOR NO KEY UPDATE OF k)
  UPDATE api_key k SET last_used_at = due.at FROM due WHERE k.id = due.id`;

/** Writes uses later than the stored ones. Keys must be distinct. */
export async function writeUses(on: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await on.query(WRITE_USES, [uses.map(({ keyId }) => keyId), uses.map(({ usedTsMs }) => new Date(usedTsMs))]);
}

function fromRow(row: KeyRow): StoredKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    kind: row.kind,
    scopes: row.scopes,
    digest: row.digest,
    display: { first: row.display_first, last: row.display_last },
    createdTsMs: row.created_at.getTime(),
    expiresTsMs: row.expires_at?.getTime() ?? null,
    revokedTsMs: row.revoked_at?.getTime() ?? null,
    lastUsedTsMs: row.last_used_at?.getTime() ?? null,
    operationId: row.operation_id,
    ceiling: row.ceiling,
    rate:
      row.calls_per_minute === null || row.rate_key_id === null ? null : { callsPerMinute: row.calls_per_minute, keyId: row.rate_key_id },
  };
}

/** The column's generated type is text, as the driver reads an array of an enum. */
function toScopes(scopes: readonly KeyScope[]) {
  return sql<string>`${scopes}::key_scope[]`;
}

function toDate(tsMs: number | null): Date | null {
  return tsMs === null ? null : new Date(tsMs);
}

interface KeyListenerDeps {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Every change committed from now on is reported. */
  readonly onListening: () => void;
  readonly onChange: (change: WatchMessage) => void;
  /** Changes may be missed from now on. */
  readonly onLost: () => void;
}

/** Listens to the database triggers on keys, sessions and tenants. */
export function createKeyListener({ databaseUrl, logger, onListening, onChange, onLost }: KeyListenerDeps): Listener {
  return createListener({
    url: databaseUrl,
    logger,
    applicationName: 'account key listener',
    channels: ['api_key_changed', 'session_ended', 'tenant_changed'],
    onNotification(channel, payload) {
      const change = readChange(channel, payload);
      if (change !== null) onChange(change);
    },
    onListening,
    onLost,
  });
}

function readChange(channel: string, payload: string): WatchMessage | null {
  switch (channel) {
    case 'session_ended':
      return /^[0-9a-f]{64}$/.test(payload) ? { type: 'session_ended', digest: Buffer.from(payload, 'hex') } : null;
    case 'tenant_changed':
      return { type: 'tenant_changed', tenantId: payload };
    default:
      return readKeyChange(payload);
  }
}

function readKeyChange(payload: string): WatchMessage | null {
  const match = /^([^:]+):([0-9a-f]{64})$/.exec(payload);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { type: 'changed', change: { keyId: match[1], digest: Buffer.from(match[2], 'hex') } };
}
