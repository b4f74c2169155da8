import { isUsable, type Schemas } from '@market-state/client';
import type { Run } from './session';

export interface Reported {
  readonly meta: Schemas['Meta'];
}

export interface Findings extends Content {
  /** All must be usable; the first determines the state. */
  readonly of: readonly [Reported, ...Reported[]];
  /** End of the covered time. */
  readonly asOfUtc: string;
  readonly gapFlags?: readonly string[];
  /** True if none of it is reliable. */
  readonly failClosed?: boolean;
}

/** Adds the time, state, gaps, usability and cost that every answer has. */
export function answerOf(run: Run, findings: Findings, detail: Detail): Readonly<Record<string, unknown>> {
  const { of, asOfUtc, gapFlags = [], failClosed = false, fields, ...content } = findings;
  const [{ meta }] = of;
  const envelope = {
    as_of_utc: asOfUtc,
    response_state: meta.response_semantics.response_state,
    fail_closed: failClosed || !of.every(isUsable),
    gap_flags: [...new Set(gapFlags)],
    claim_boundary: meta.claim_boundary,
    cost: run.cost(),
    request_id: run.requestId(),
  };
  return fit({ ...content, fields: { ...envelope, ...fields } }, ANSWER_BYTES_MAX[detail]);
}

export const DETAILS = ['concise', 'full'] as const;
type Detail = (typeof DETAILS)[number];

/** Maximum bytes of an answer as JSON. */
export const ANSWER_BYTES_MAX: Readonly<Record<Detail, number>> = { concise: 2_000, full: 24_000 };

/** Upper bound for anything sent to an agent. */
export const TEXT_BYTES_MAX = 32_000;

/** The members, in this order. */
export function pick<T, K extends keyof T>(row: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<T, K>;
}

export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Content {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Least important first. */
  readonly lists: readonly string[];
  /** Lists in time order, which are cut at the start; others are cut at the end. */
  readonly newestLast?: readonly string[];
  /** Call for the omitted items, by the number given. */
  readonly rest?: (given: Readonly<Record<string, number>>) => NextCall;
  /** Call for the next page. */
  readonly next?: NextCall;
}

/** Minimum items while another list can still be shortened. */
const FLOORS = [2, 1, 0] as const;

/**
 * Shortens lists until the JSON fits in `bytesMax`, and counts omitted items by list. An answer without `next` is the
 * last.
 * @throws {RangeError} if it does not fit even without items
 */
export function fit({ fields, lists, newestLast = [], rest, next }: Content, bytesMax: number): Readonly<Record<string, unknown>> {
  const given: Record<string, number> = Object.fromEntries(lists.map((name) => [name, listIn(fields, name).length]));
  const made = (): Readonly<Record<string, unknown>> => {
    const omitted = lists.filter((name) => countOf(given, name) < listIn(fields, name).length);
    if (omitted.length === 0) return { ...fields, ...(next === undefined ? {} : { next }) };
    const left = Object.fromEntries(omitted.map((name) => [name, listIn(fields, name).length - countOf(given, name)]));
    const cut = Object.fromEntries(
      omitted.map((name) => [name, shortened(listIn(fields, name), countOf(given, name), newestLast.includes(name))]),
    );
    return { ...fields, ...cut, truncated: true, omitted: left, ...(rest === undefined ? {} : { next: rest(given) }) };
  };
  for (const [floor, name] of FLOORS.flatMap((each) => lists.map((list) => [each, list] as const))) {
    if (sizeOf(made()) <= bytesMax) break;
    given[name] = mostThat(floor, countOf(given, name), (count) => {
      given[name] = count;
      return sizeOf(made()) <= bytesMax;
    });
  }
  const answer = made();
  if (sizeOf(answer) > bytesMax) throw new RangeError(`an answer of ${sizeOf(answer)} bytes does not fit in ${bytesMax}`);
  return answer;
}

function shortened(items: readonly unknown[], count: number, keepsEnd: boolean): readonly unknown[] {
  return keepsEnd ? items.slice(items.length - count) : items.slice(0, count);
}

/** If none holds, the smaller of the two bounds. */
function mostThat(floor: number, above: number, holds: (count: number) => boolean): number {
  let [low, high] = [Math.min(floor, above), above];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function countOf(given: Readonly<Record<string, number>>, name: string): number {
  return given[name] ?? 0;
}

function listIn(fields: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const list = fields[name];
  return Array.isArray(list) ? list : [];
}
