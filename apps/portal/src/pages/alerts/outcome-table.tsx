import { counted } from '@market-state/packet-figures';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import type { Outcome } from './rehearse-here';
import { type Rule, settingWords } from './rule';

/** Credits of a message about a rule, for each endpoint that it reaches. */
const CREDITS_A_DELIVERY = 1;

interface OutcomeTableProps {
  /** Of each setting; empty where there is one alone. */
  readonly names: readonly string[];
  readonly rules: readonly Rule[];
  readonly outcomes: readonly (Outcome | undefined)[];
}

const LINES: readonly (readonly [name: string, of: (outcome: Outcome) => string])[] = [
  ['fired', ({ triggered }) => whole(triggered)],
  ['recovered', ({ recovered }) => whole(recovered)],
  ['flapped: fired again within 10 min', ({ flaps }) => whole(flaps)],
  ['held back by the pause between messages', ({ suppressed }) => whole(suppressed)],
  ['missed: held for one packet, and not for enough in a row', ({ missed }) => (missed === null ? 'none' : whole(missed))],
  ['stretches without packets', ({ holes }) => whole(holes)],
  ['messages to each endpoint', ({ triggered, recovered }) => whole(triggered + recovered)],
  ['credits of those', ({ triggered, recovered }) => whole((triggered + recovered) * CREDITS_A_DELIVERY)],
];

const whole = (total: number): string => total.toLocaleString('en-US');

/** What each setting would have told, side by side. */
export function OutcomeTable({ names, rules, outcomes }: OutcomeTableProps) {
  return (
    <div className={sheet['scroll']} tabIndex={0} role="group" aria-label="What would have been told">
      <table className={styles['outcomes']}>
        <thead>
          <tr>
            <th scope="col">In this span</th>
            {rules.map((rule, index) => (
              <th key={names[index]} scope="col" className={sheet['number']}>
                {rules.length === 1 ? '' : `${names[index] ?? ''}: `}
                {settingWords(rule)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {LINES.map(([name, of]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {outcomes.map((outcome, index) => (
                <td key={names[index]} className={sheet['number']}>
                  {outcome === undefined ? '…' : of(outcome)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One sentence of each setting, for those who do not see the chart. */
export function outcomeSentence(names: readonly string[], outcomes: readonly (Outcome | undefined)[]): string {
  return outcomes
    .map((outcome, index) =>
      outcome === undefined
        ? ''
        : `${names[index] ?? ''} fired ${counted(outcome.triggered, 'time')} and recovered ${counted(outcome.recovered, 'time')}`,
    )
    .filter((sentence) => sentence !== '')
    .join('; ');
}
