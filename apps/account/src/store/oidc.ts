import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

export async function insertOidcLogin(on: Queryable, digest: Buffer, expiresTsMs: number): Promise<void> {
  await run(on, tables.insertInto('oidc_login').values({ digest, expires_at: new Date(expiresTsMs) }));
}

/** @returns false if it is unknown, used or expired */
export async function useOidcLogin(on: Queryable, digest: Buffer, nowMs: number): Promise<boolean> {
  const statement = tables.deleteFrom('oidc_login').where('digest', '=', digest).where('expires_at', '>', new Date(nowMs));
  const { rowCount } = await run(on, statement);
  return rowCount === 1;
}

export interface OidcIdentity {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
}

/** Account id, or null if the identity is not linked. */
export async function findAccountOfIdentity(on: Queryable, { issuer, clientId, subject }: OidcIdentity): Promise<string | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('oidc_identity')
      .select('account_id')
      .where('issuer', '=', issuer)
      .where('client_id', '=', clientId)
      .where('subject', '=', subject),
  );
  return rows[0]?.account_id ?? null;
}

/** Changes nothing if the identity or the account has another link of this client. */
export async function linkIdentity(
  on: Queryable,
  { issuer, clientId, subject }: OidcIdentity,
  accountId: string,
  nowMs: number,
): Promise<void> {
  await run(
    on,
    tables
      .insertInto('oidc_identity')
      .values({ issuer, client_id: clientId, subject, account_id: accountId, created_at: new Date(nowMs) })
      .onConflict((conflict) => conflict.doNothing()),
  );
}
