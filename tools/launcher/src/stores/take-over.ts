import type { Client } from 'pg';

/**
 * Statements that give an owner what another role owns in schema public. Sequences of a column go with its table; so do types of rows and
 * arrays.
 */
const STATEMENTS = `
  WITH owner AS (SELECT oid, rolname AS name FROM pg_roles WHERE rolname = $1)
  SELECT format('ALTER TABLE public.%I OWNER TO %I', relname, owner.name) AS statement
  FROM pg_class, owner WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relowner <> owner.oid
  UNION ALL
  SELECT format('ALTER SEQUENCE public.%I OWNER TO %I', relname, owner.name)
  FROM pg_class, owner WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' AND relowner <> owner.oid
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype IN ('a', 'i'))
  UNION ALL
  SELECT format('ALTER TYPE public.%I OWNER TO %I', typname, owner.name)
  FROM pg_type, owner WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd') AND typowner <> owner.oid
  UNION ALL
  SELECT format('ALTER ROUTINE %s OWNER TO %I', pg_proc.oid::regprocedure, owner.name)
  FROM pg_proc, owner WHERE pronamespace = 'public'::regnamespace AND proowner <> owner.oid`;

/**
 * Gives an owner all that another role owns in schema public of the database that the client is in: what an installation has from
 * before there were two roles. With nothing to give it costs one query.
 */
export async function takeOver(client: Client, owner: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(STATEMENTS, [owner]);
  if (rows.length === 0) return;
  await client.query('BEGIN');
  for (const { statement } of rows) await client.query(statement);
  await client.query('COMMIT');
}
