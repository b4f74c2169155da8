import { createHash } from 'node:crypto';
import { resourceExhausted, type ServiceError } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { addStamp, lockStamps, readStamps, type ThrottleSubject } from '../store/throttles';
import { allowedAtMs, type AttemptLimit } from './limits';
import { siteOf } from './network';

/** Limit of an IPv6 /48, as a multiple of the limit of one /64. */
const SITE_FACTOR = 4;

/** A subject of limits, all of which must allow an attempt. */
export interface LimitedSubject extends ThrottleSubject {
  readonly limits: readonly AttemptLimit[];
}

/** `scope` and `subject` name what is counted, such as `address` and an address. */
export function limitedSubject(scope: string, subject: string, limits: readonly AttemptLimit[]): LimitedSubject {
  return {
    scope,
    subject: createHash('sha256').update(subject, 'utf8').digest(),
    keepMs: Math.max(...limits.map(({ windowMs }) => windowMs)),
    limits,
  };
}

/** Limit subjects of an attempt from a network: the network itself and, for IPv6, its /48. */
export function networkSubjects(scope: string, network: string, limits: readonly AttemptLimit[]): LimitedSubject[] {
  const site = siteOf(network);
  const ofSite = limits.map(({ max, windowMs }) => ({ max: max * SITE_FACTOR, windowMs }));
  return [limitedSubject(scope, network, limits), ...(site === network ? [] : [limitedSubject(scope, site, ofSite)])];
}

/**
 * Notes an attempt, in the caller's transaction, unless a limit refuses it: then the time until it would be allowed, milliseconds, else 0.
 */
export async function takeAttempt(db: Queryable, subjects: readonly LimitedSubject[], nowMs: number): Promise<number> {
  const waitMs = await waitOf(db, subjects, nowMs);
  if (waitMs === 0) await addStamp(db, subjects, nowMs);
  return waitMs;
}

/** Time until an attempt would be allowed, milliseconds, 0 for now; the rows of its subjects are held until the transaction ends. */
async function waitOf(db: Queryable, subjects: readonly LimitedSubject[], nowMs: number): Promise<number> {
  return longestWait(await lockStamps(db, subjects, nowMs), subjects, nowMs);
}

/** As `waitOf`, holding nothing, where another check follows before anything is given. */
export async function readWait(db: Queryable, subjects: readonly LimitedSubject[], nowMs: number): Promise<number> {
  return longestWait(await readStamps(db, subjects, nowMs), subjects, nowMs);
}

/** Milliseconds until every limit allows the next attempt; 0 for now. `stamps` has the earlier attempts of each subject. */
export function longestWait(stamps: readonly (readonly number[])[], subjects: readonly LimitedSubject[], nowMs: number): number {
  const atMs = subjects.flatMap(({ limits }, index) => limits.map((limit) => allowedAtMs(stamps[index] ?? [], limit, nowMs)));
  return Math.max(0, ...atMs.map((ms) => ms - nowMs));
}

/** What was tried too often, with the sentence about it; it takes how long to wait. */
const SENTENCES = {
  too_many_attempts: (wait: string) => `There were too many attempts. Try again in ${wait}.`,
  too_many_sandbox_keys: (wait: string) => `This address has had its sandbox keys for now. Another can be had in ${wait}.`,
  too_many_trials: (wait: string) => `No more trials can be opened from this address, or at all, just now. Try again in ${wait}.`,
} as const;

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** RESOURCE_EXHAUSTED that says when to come again, in whole seconds, at least 1. */
export function tooManyAttempts(retryAfterMs: number, reason: keyof typeof SENTENCES = 'too_many_attempts'): ServiceError {
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return resourceExhausted(reason, SENTENCES[reason](spanText(retryAfterS)), { metadata: { retry_after_s: String(retryAfterS) } });
}

/** A span as people say it: never shorter than it is. */
function spanText(seconds: number): string {
  if (seconds <= 2 * MINUTE_S) return `${seconds} s`;
  if (seconds <= 2 * HOUR_S) return `${Math.ceil(seconds / MINUTE_S)} min`;
  return `${Math.ceil(seconds / HOUR_S)} h`;
}
