import { createHash } from 'node:crypto';
import { resourceExhausted, type ServiceError } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { addStamp, lockStamps, readStamps, type ThrottleSubject } from '../store/throttles';
import { allowedAtMs, type AttemptLimit } from './limits';
import { siteOf } from './network';

/** A /48 gets this multiple of the limit of a single /64. */
const SITE_FACTOR = 4;

export interface LimitedSubject extends ThrottleSubject {
  readonly limits: readonly AttemptLimit[];
}

export function limitedSubject(scope: string, subject: string, limits: readonly AttemptLimit[]): LimitedSubject {
  return {
    scope,
    subject: createHash('sha256').update(subject, 'utf8').digest(),
    keepMs: Math.max(...limits.map(({ windowMs }) => windowMs)),
    limits,
  };
}

export function networkSubjects(scope: string, network: string, limits: readonly AttemptLimit[]): LimitedSubject[] {
  const site = siteOf(network);
  const ofSite = limits.map(({ max, windowMs }) => ({ max: max * SITE_FACTOR, windowMs }));
  return [limitedSubject(scope, network, limits), ...(site === network ? [] : [limitedSubject(scope, site, ofSite)])];
}

/** Records an attempt in the caller's transaction. Returns 0, or the wait in milliseconds if a limit refuses it. */
export async function takeAttempt(db: Queryable, subjects: readonly LimitedSubject[], nowMs: number): Promise<number> {
  const waitMs = await waitOf(db, subjects, nowMs);
  if (waitMs === 0) await addStamp(db, subjects, nowMs);
  return waitMs;
}

async function waitOf(db: Queryable, subjects: readonly LimitedSubject[], nowMs: number): Promise<number> {
  return longestWait(await lockStamps(db, subjects, nowMs), subjects, nowMs);
}

/** Like `waitOf`, but without locks: a cheap check ahead of the decisive one. */
export async function readWait(db: Queryable, subjects: readonly LimitedSubject[], nowMs: number): Promise<number> {
  return longestWait(await readStamps(db, subjects, nowMs), subjects, nowMs);
}

/** Milliseconds until every limit allows another attempt. `stamps` lists earlier attempts by subject. */
export function longestWait(stamps: readonly (readonly number[])[], subjects: readonly LimitedSubject[], nowMs: number): number {
  const atMs = subjects.flatMap(({ limits }, index) => limits.map((limit) => allowedAtMs(stamps[index] ?? [], limit, nowMs)));
  return Math.max(0, ...atMs.map((ms) => ms - nowMs));
}

const SENTENCES = {
  too_many_attempts: (wait: string) => `Too many attempts. Try again in ${wait}.`,
  too_many_sandbox_keys: (wait: string) => `This address has used its sandbox keys for now. Try again in ${wait}.`,
  too_many_trials: (wait: string) => `No more trials are available at the moment, from this address or in total. Try again in ${wait}.`,
} as const;

const MINUTE_S = 60;
const HOUR_S = 3_600;

export function tooManyAttempts(retryAfterMs: number, reason: keyof typeof SENTENCES = 'too_many_attempts'): ServiceError {
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return resourceExhausted(reason, SENTENCES[reason](spanText(retryAfterS)), { metadata: { retry_after_s: String(retryAfterS) } });
}

function spanText(seconds: number): string {
  if (seconds <= 2 * MINUTE_S) return `${seconds} s`;
  if (seconds <= 2 * HOUR_S) return `${Math.ceil(seconds / MINUTE_S)} min`;
  return `${Math.ceil(seconds / HOUR_S)} h`;
}
