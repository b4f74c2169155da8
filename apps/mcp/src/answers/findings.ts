import { isUsable, type Schemas } from '@market-state/client';
import { ANSWER_BYTES_MAX, type Detail, type Content, fit } from './fit';
import type { Run } from '../session';

/** What every answer of the service says of itself. */
export interface Told {
  readonly meta: Schemas['Meta'];
}

/** What a tool has found. */
export interface Findings extends Content {
  /** The answers that it rests on: the first says what state it is in, and all must be usable. */
  readonly of: readonly [Told, ...Told[]];
  /** Until when it is known. */
  readonly asOfUtc: string;
  readonly gapFlags?: readonly string[];
  /** Whether none of it can be relied on, beyond what the answers say of themselves. */
  readonly failClosed?: boolean;
}

/**
 * The answer of a tool within its bound: what was found, and what holds for every answer: its time, its state, gaps, whether it may be
 * acted on, and its cost.
 */
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
