import type { Queryable } from '@market-state/postgres';

/** What a limit counts: attempts of one kind by one subject. */
export interface ThrottleSubject {
  readonly scope: string;
  /** SHA-256 of who or what is limited: what strangers type is not kept. */
  readonly subject: Buffer;
  /** How long an attempt matters. */
  readonly keepMs: number;
}

/** Times of the attempts of each subject, oldest first, each subject's row held until the transaction ends. In the order of `subjects`. */
export async function holdStamps(db: Queryable, subjects: readonly ThrottleSubject[], nowMs: number): Promise<number[][]> {
  const { rows } = await db.query<StampsRow>(
    `INSERT INTO throttle (scope, subject, stamps, last_at)
     SELECT scope, subject, '{}', $3 FROM unnest($1::text[], $2::bytea[]) AS asked (scope, subject) ORDER BY scope COLLATE "C", subject
     ON CONFLICT (scope, subject) DO UPDATE SET last_at = greatest(throttle.last_at, EXCLUDED.last_at)
     RETURNING scope, subject, stamps`,
    [subjects.map(({ scope }) => scope), subjects.map(({ subject }) => subject), new Date(nowMs)],
  );
  return stampsOf(rows, subjects, nowMs);
}

/** As `holdStamps`, holding nothing: what is read may be less than what counts a moment later. */
export async function readStamps(db: Queryable, subjects: readonly ThrottleSubject[], nowMs: number): Promise<number[][]> {
  const { rows } = await db.query<StampsRow>(
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
  return subjects.map((asked) => {
    const row = rows.find(({ scope, subject }) => scope === asked.scope && subject.equals(asked.subject));
    return (row?.stamps ?? [])
      .map(Number)
      .filter((stamp) => stamp > nowMs - asked.keepMs)
      .sort((one, other) => one - other);
  });
}

/** Notes an attempt of each subject, and forgets those that no longer matter. */
export async function addStamp(db: Queryable, subjects: readonly ThrottleSubject[], nowMs: number): Promise<void> {
  await db.query(
    `UPDATE throttle SET stamps = ARRAY(SELECT kept FROM unnest(throttle.stamps) AS kept WHERE kept > asked.oldest
      ORDER BY kept) || $4::bigint
     FROM unnest($1::text[], $2::bytea[], $3::bigint[]) AS asked (scope, subject, oldest)
     WHERE throttle.scope = asked.scope AND throttle.subject = asked.subject`,
    [subjects.map(({ scope }) => scope), subjects.map(({ subject }) => subject), subjects.map(({ keepMs }) => nowMs - keepMs), nowMs],
  );
}

/** Takes one attempt of that time back from each subject. */
export async function takeStampBack(db: Queryable, subjects: readonly ThrottleSubject[], stampMs: number): Promise<void> {
  await db.query(
    `UPDATE throttle SET stamps = stamps[:array_position(stamps, $3::bigint) - 1] || stamps[array_position(stamps, $3::bigint) + 1:]
     FROM (
       SELECT t.scope, t.subject FROM throttle t JOIN unnest($1::text[], $2::bytea[]) AS asked (scope, subject) USING (scope, subject)
       ORDER BY t.scope COLLATE "C", t.subject FOR UPDATE OF t
     ) AS held
     WHERE throttle.scope = held.scope AND throttle.subject = held.subject AND array_position(throttle.stamps, $3::bigint) IS NOT NULL`,
    [subjects.map(({ scope }) => scope), subjects.map(({ subject }) => subject), stampMs],
  );
}

/** Forgets every attempt of one subject. */
export async function clearStamps(db: Queryable, { scope, subject }: ThrottleSubject): Promise<void> {
  await db.query('DELETE FROM throttle WHERE scope = $1 AND subject = $2', [scope, subject]);
}

/** Deletes subjects without an attempt since `beforeMs`; how many. */
export async function dropOldStamps(db: Queryable, beforeMs: number): Promise<number> {
  const { rowCount } = await db.query('DELETE FROM throttle WHERE last_at < $1', [new Date(beforeMs)]);
  return rowCount ?? 0;
}
