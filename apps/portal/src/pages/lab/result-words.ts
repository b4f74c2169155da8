import type { PacketChange, PolicyTotals } from '@market-state/labeler/lab';
import { counted } from '@market-state/packet-figures';
import { clock } from '../../time/clock';

/** What came of the edits, in a sentence. */
export function outcomeWords(totals: PolicyTotals, changes: readonly PacketChange[]): string {
  const { compared, changedByField } = totals;
  const [first] = changes;
  if (first === undefined) return `All ${counted(compared, 'window')} read the same under your policy.`;
  const states = changedByField.state;
  const published = states === 0 ? 'no window has another published state' : `${counted(states, 'window')} with another published state`;
  return (
    `${counted(changes.length, 'window')} of ${compared} ${changes.length === 1 ? 'reads' : 'read'} differently, ${published}; ` +
    `the first is that to ${clock(first.windowEndMs)}.`
  );
}

const FIELDS: Readonly<Record<string, string>> = {
  state: 'published state',
  winner_state: 'raw winner',
  event_class: 'event class',
  diagnosis_class: 'diagnosis',
  severity_class: 'severity class',
};

/** A field that is compared, for people. */
export function fieldWords(field: string): string {
  return FIELDS[field] ?? field;
}

/** A value of a number, a term or a threshold, as it is compared. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
