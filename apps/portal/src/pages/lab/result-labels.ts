import type { PacketChange, PolicyTotals } from '@market-state/labeler/lab';
import { counted } from '@market-state/packet-figures';
import { clock } from '../../time/clock';

export function outcomeWords(totals: PolicyTotals, changes: readonly PacketChange[]): string {
  const { compared, changedByField } = totals;
  const [first] = changes;
  if (first === undefined) return `All ${counted(compared, 'window')} are the same under your policy.`;
  const states = changedByField.state;
  const published =
    states === 0 ? 'no window has a different published state' : `${counted(states, 'window')} with a different published state`;
  return (
    `${counted(changes.length, 'window')} of ${compared} ${changes.length === 1 ? 'differs' : 'differ'}, ${published}; ` +
    `the first ends at ${clock(first.windowEndMs)}.`
  );
}

const FIELDS: Readonly<Record<string, string>> = {
  state: 'published state',
  winner_state: 'raw winner',
  event_class: 'event class',
  diagnosis_class: 'diagnosis',
  severity_class: 'severity class',
};

export function fieldWords(field: string): string {
  return FIELDS[field] ?? field;
}

export function valueWords(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
