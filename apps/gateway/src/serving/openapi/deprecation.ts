import type { ServerResponse } from 'node:http';
import type { OperationObject } from './document';

/** A deprecated operation answers for so many days at least (docs/adr/0040). */
const NOTICE_DAYS = 180;

const DAY_MS = 86_400_000;

/** What callers of a deprecated operation are told, and until when it answers. */
export interface Deprecation {
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  /** It answers until then at least; null: no end is decided. Milliseconds since the epoch. */
  readonly sunsetMs: number | null;
  /** Page that says what to use in its place: a path of this service. */
  readonly link: string;
}

type Deprecated = Pick<OperationObject, 'deprecated' | 'x-deprecated-at' | 'x-sunset' | 'x-deprecation-link'>;

/** Whole seconds UTC of a day that there is; null for any other text. */
function instantOf(text: string | undefined): number | null {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text.replace('Z', '.000Z') ? null : ms;
}

/** What is wrong with what an operation says of its deprecation: a sentence for each fault. */
export function deprecationFaults(operation: Deprecated): string[] {
  const { deprecated = false, 'x-deprecated-at': since, 'x-sunset': sunset, 'x-deprecation-link': link } = operation;
  if (!deprecated) {
    const told = Object.entries({ 'x-deprecated-at': since, 'x-sunset': sunset, 'x-deprecation-link': link });
    return told.flatMap(([name, value]) => (value === undefined ? [] : [`${name} is of a deprecated operation: add deprecated: true`]));
  }
  const [sinceMs, sunsetMs] = [instantOf(since), instantOf(sunset)];
  const faults: string[] = [];
  if (sinceMs === null) faults.push(`x-deprecated-at must be an instant like 2027-01-31T00:00:00Z, not ${since ?? 'absent'}`);
  if (sunset !== undefined && sunsetMs === null) faults.push(`x-sunset must be an instant like 2027-07-31T00:00:00Z, not ${sunset}`);
  if (sinceMs !== null && sunsetMs !== null && sunsetMs - sinceMs < NOTICE_DAYS * DAY_MS)
    faults.push(`x-sunset must lie ${NOTICE_DAYS} days or more after x-deprecated-at`);
  if (!/^\/docs\/[^\s<>"]+$/.test(link ?? '')) faults.push(`x-deprecation-link must be a path under /docs/, not ${link ?? 'absent'}`);
  return faults;
}

/** @returns null for an operation that is not deprecated @throws Error naming every fault of what it says */
export function readDeprecation(operation: Deprecated): Deprecation | null {
  const faults = deprecationFaults(operation);
  if (faults.length > 0) throw new Error(faults.join('; '));
  if (operation.deprecated !== true) return null;
  return {
    sinceMs: instantOf(operation['x-deprecated-at']) ?? 0,
    sunsetMs: instantOf(operation['x-sunset']),
    link: operation['x-deprecation-link'] ?? '',
  };
}

/**
 * Says on an answer, whatever it will be, that its operation is deprecated: `Deprecation` (RFC 9745), `Link`, and `Sunset` (RFC 8594) where
 * an end is decided.
 */
export function announceDeprecation(res: ServerResponse, deprecation: Deprecation | null): void {
  if (deprecation === null || res.headersSent) return;
  const { sinceMs, sunsetMs, link } = deprecation;
  res.setHeader('Deprecation', `@${sinceMs / 1_000}`);
  if (sunsetMs !== null) res.setHeader('Sunset', new Date(sunsetMs).toUTCString());
  res.setHeader('Link', `<${link}>; rel="deprecation"; type="text/html"`);
}
