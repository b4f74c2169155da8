import { labeling } from '@market-state/contracts';
import { toUtc } from '../../../serving/meta/instant';
import type { SymbolFinding } from './proof';

const { VerifyEventResponse_Outcome: Outcome } = labeling;

/** The labeling service's own check of a symbol's packets, as a finding. */
export function checkDerivation(symbol: string, check: labeling.SelfCheck | undefined): SymbolFinding {
  const unchecked = { symbol, passed: true, fromMs: null, toMs: null, checkedTotal: 0 };
  if (check === undefined) return { ...unchecked, detail: 'No packet has been made again yet.' };
  const { windowEndMs, outcome, reason } = check;
  const packet = `The packet of the window that ended at ${toUtc(windowEndMs)}`;
  if (outcome === Outcome.CANNOT) return { ...unchecked, detail: `${packet} could not be made again: ${reason}.` };
  const passed = outcome === Outcome.MATCH;
  const detail = passed ? `${packet} was made again, byte for byte.` : `${packet} differs from the one made again.`;
  return { symbol, passed, detail, fromMs: windowEndMs, toMs: windowEndMs, checkedTotal: 1 };
}
