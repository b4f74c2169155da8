import { isUsable, type Schemas } from '@market-state/client';
import { ANSWER_BYTES_MAX, type Detail, type Content, fit } from './fit';
import type { Run } from '../session';

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
