import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

export interface ThrottleSubject {
  readonly scope: string;
  /** SHA-256 of the subject: text typed by strangers is not stored. */
  readonly subject: Buffer;
  readonly keepMs: number;
}

/** Attempt times by subject, in the order of `subjects`, oldest first. Locks the rows until the transaction ends. */
export async function lockStamps(on: Queryable, subjects: readonly ThrottleSubject[], nowMs: number): Promise<number[][]> {
  const { rows } = await on.query<StampsRow>(
    `INSERT INTO throttle (scope, subject, stamps, last_at)
     SELECT scope, subject, '{}', $3 FROM unnest($1::text[], $2::bytea[]) AS asked (scope, subject) ORDER BY scope COLLATE "C", subject
     ON CONFLICT (scope, subject) DO UPDATE SET last_at = greatest(throttle.last_at, EXCLUDED.last_at)
     RETURNING scope, subject, stamps`,
    [subjects.map(({ scope }) => scope), subjects.map(({ subject }) => subject), new Date(nowMs)],
  );
  return stampsOf(rows, subjects, nowMs);
}

/** Without locks, so the result may already be outdated. */
export async function readStamps(on: Queryable, subjects: readonly ThrottleSubject[], nowMs: number): Promise<number[][]> {
  const { rows } = await on.query<StampsRow>(
    'SELECT scope, subject, stamps FROM throttle JOIN unnest($1::text[], $2::bytea[]) AS asked (scope, subject) USING (scope, subject)',
    [subjects.map(({ scope }) => scope), subjects.map(({ subject }) => subject)],
  );
  return stampsOf(rows, subjects, nowMs);
}

interface StampsRow {
  readonly scope: string;
  readonly subject: Buffer;
  readonly stamps: readonly string[];
}

function stampsOf(rows: readonly StampsRow[], subjects: readonly ThrottleSubject[], nowMs: number): number[][] {
  return subjects.map((requested) => {
    const row = rows.find(({ scope, subject }) => scope === requested.scope && subject.equals(requested.subject));
    return (row?.stamps ?? [])
      .map(Number)
      .filter((stamp) => stamp > nowMs - requested.keepMs)
      .sort((one, other) => one - other);
  });
}

export async function addStamp(on: Queryable, subjects: readonly ThrottleSubject[], nowMs: number): Promise<void> {
  await on.query(
    `UPDATE throttle SET stamps = ARRAY(SELECT kept FROM unnest(throttle.stamps) AS kept WHERE kept > asked.oldest
      ORDER BY kept) || $4::bigint
     FROM unnest($1::text[], $2::bytea[], $3::bigint[]) AS asked (scope, subject, oldest)
     WHERE throttle.scope = asked.scope AND throttle.subject = asked.subject`,
    [subjects.map(({ scope }) => scope), subjects.map(({ subject }) => subject), subjects.map(({ keepMs }) => nowMs - keepMs), nowMs],
  );
}

export async function takeStampBack(on: Queryable, subjects: readonly ThrottleSubject[], stampMs: number): Promise<void> {
  await on.query(
    `UPDATE throttle SET stamps = stamps[:array_position(stamps, $3::bigint) - 1] || stamps[array_position(stamps, $3::bigint) + 1:]
     FROM (
       SELECT t.scope, t.subject FROM throttle t JOIN unnest($1::text[], $2::bytea[]) AS asked (scope, subject) USING (scope, subject)
       ORDER BY t.scope COLLATE "C", t.subject FOR UPDATE OF t
     ) AS locked
     WHERE throttle.scope = locked.scope AND throttle.subject = locked.subject AND array_position(throttle.stamps, $3::bigint) IS NOT NULL`,
    [subjects.map(({ scope }) => scope), subjects.map(({ subject }) => subject), stampMs],
  );
}

export async function deleteStamps(on: Queryable, { scope, subject }: ThrottleSubject): Promise<void> {
  await run(on, tables.deleteFrom('throttle').where('scope', '=', scope).where('subject', '=', subject));
}

export async function deleteOldStamps(on: Queryable, beforeMs: number): Promise<number> {
  const { rowCount } = await run(on, tables.deleteFrom('throttle').where('last_at', '<', new Date(beforeMs)));
  return rowCount ?? 0;
}
