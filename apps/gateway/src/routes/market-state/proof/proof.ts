import type { Described } from '../../../serving/openapi/described';
/** What a check found of one symbol. */
export interface SymbolFinding {
  readonly symbol: string;
  readonly passed: boolean;
  /** One sentence with its numbers. */
  readonly detail: string;
  /** First and last instant that was checked, milliseconds; null where nothing was. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly checkedTotal: number;
}

/** `not_checked`: nothing there to check now, or it is the reader's to check. */
export type CheckState = Described<'Proof'>['check_state'];

/** A proof that the service offers, and what checking it now found. */
export interface Proof {
  readonly proofId: Described<'Proof'>['proof_id'];
  readonly title: string;
  /** What it shows. */
  readonly claim: string;
  readonly checkState: CheckState;
  readonly detail: string;
  /** Time of the check, milliseconds since the epoch, if it was not made for this answer. */
  readonly checkedMs?: number;
  /** Empty where it is not about a symbol. */
  readonly symbols: readonly SymbolFinding[];
  /** How a reader checks it without believing this answer. */
  readonly ownCheck: string;
  /** Operations that serve what is checked. */
  readonly operationIds: readonly string[];
}

/** State of a proof from what was found of its symbols. */
export function stateOf(findings: readonly SymbolFinding[]): CheckState {
  if (findings.some(({ passed }) => !passed)) return 'failed';
  return findings.some(({ checkedTotal }) => checkedTotal > 0) ? 'passed' : 'not_checked';
}
