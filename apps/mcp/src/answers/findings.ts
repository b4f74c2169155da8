import { isUsable, type Schemas } from '@market-state/client';
import { ANSWER_BYTES_MAX, type Detail, type Content, fit } from './fit';
import type { Run } from '../session';

export interface Told {
  readonly meta: Schemas['Meta'];
}

/** Result of a tool. */
export interface Findings extends Content {
  /** Answers it is based on: the first determines its state, and all must be usable. */
  readonly of: readonly [Told, ...Told[]];
  /** Instant up to which it is known. */
  readonly asOfUtc: string;
  readonly gapFlags?: readonly string[];
  /** True if none of it is reliable, regardless of the answers' own state. */
  readonly failClosed?: boolean;
}

/**
 * Builds a tool's answer within its size limit: the findings, and the time, state, gaps, usability and cost that every
 * answer has.
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
