import { WINDOW_MS } from '@market-state/alert-rules/rehearsal';
import { counted } from '@market-state/packet-figures';
import sheet from '../../theme/sheet.module.css';
import { calmerSettings } from './calmer';
import type { Outcome } from './rehearse-here';
import type { Rule } from './rule';

interface CalmerChoiceProps {
  readonly rule: Rule;
  /** Which of two settings it is; empty where there is one alone. */
  readonly name: string;
  readonly outcome: Outcome;
  readonly onChoose: (rule: Rule) => void;
}

/** Settings that would have flapped less in this span, each with what it would have told, by one press. */
export function CalmerChoice({ rule, name, outcome, onChoose }: CalmerChoiceProps) {
  const calmer = calmerSettings(outcome, rule.minConsecutive);
  if (calmer.length === 0) return null;
  return (
    <p className={sheet['actions']}>
      <span className={sheet['soft']}>Calmer in this span{name === '' ? '' : `, for ${name}`}:</span>
      {calmer.map(({ minConsecutive, triggered, flaps }) => (
        <button key={minConsecutive} type="button" onClick={() => onChoose({ ...rule, minConsecutive })}>
          after {minConsecutive} packets in a row: fired {triggered}, flapped {flaps}
        </button>
      ))}
      <span className={sheet['soft']}>each further packet in a row is {counted(WINDOW_MS / 1_000, 'second')} more to wait</span>
    </p>
  );
}
