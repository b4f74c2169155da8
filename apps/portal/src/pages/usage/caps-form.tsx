import { counted } from '@market-state/packet-figures';
import type { FormEvent } from 'react';
import { Field } from '../../account/field';
import { useRoleGap } from '../../service/role';
import { fieldFaults, isSaidAtFields } from '../../account/field-errors';
import { Outline } from '../../status-components/placeholder';
import { ProblemNotice } from '../../status-components/problem-notice';
import { whole } from './balances';
import { type Caps, refusedCalls } from './refused-calls';
import styles from './usage.module.css';
import { REHEARSED_DAYS, useCaps, useRehearsal, useSetCaps } from './use-usage';

const FIELDS: readonly (readonly [keyof Caps, string])[] = [
  ['per_call_credit_ceiling', 'Per call'],
  ['daily_credit_cap', 'Per day (UTC)'],
  ['monthly_credit_cap', 'Per month'],
  ['export_credit_cap', 'Exports per month'],
];
/** Limit of the service. */
const CREDITS_MAX = 1_000_000_000;

function capsOf(form: FormData): Caps {
  const cap = (name: keyof Caps): number | null => (form.get(name) === '' ? null : Number(form.get(name)));
  return {
    per_call_credit_ceiling: cap('per_call_credit_ceiling'),
    daily_credit_cap: cap('daily_credit_cap'),
    monthly_credit_cap: cap('monthly_credit_cap'),
    export_credit_cap: cap('export_credit_cap'),
  };
}

export function CapsForm() {
  const caps = useCaps();
  const setting = useSetCaps();
  const rehearsal = useRehearsal();
  const faults = fieldFaults(setting.error);
  const gap = useRoleGap('owner');
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    setting.mutate(capsOf(new FormData(submitted.currentTarget)));
  };
  if (caps.error !== null) return <ProblemNotice error={caps.error} retry={() => void caps.refetch()} />;
  if (caps.data === undefined) return <Outline rows={4} label="Loading caps" />;
  const current = caps.data;
  return (
    <form onSubmit={submit} className={styles['caps']}>
      {FIELDS.map(([name, label]) => (
        <Field
          key={name}
          label={label}
          name={name}
          type="number"
          min={0}
          max={CREDITS_MAX}
          step={1}
          placeholder="no limit"
          defaultValue={current[name] ?? ''}
          fault={faults.get(name)}
        />
      ))}
      <p className={styles['actions']}>
        <button type="submit" className={styles['go']} disabled={setting.isPending || gap !== undefined}>
          Save
        </button>
        <button
          type="button"
          disabled={rehearsal.isPending}
          onClick={({ currentTarget: { form } }) => {
            if (form !== null) rehearsal.mutate(capsOf(new FormData(form)));
          }}
        >
          {rehearsal.isPending ? 'Loading receipts…' : `Test on the last ${REHEARSED_DAYS} days`}
        </button>
        <span className={styles['soft']}>{gap ?? 'both are free'}</span>
      </p>
      <p role="status">
        {setting.isSuccess ? 'Set. ' : ''}
        {rehearsal.data === undefined ? '' : rehearsedWords(rehearsal.data)}
      </p>
      {setting.error === null ||
      isSaidAtFields(
        setting.error,
        FIELDS.map(([name]) => name),
      ) ? null : (
        <ProblemNotice error={setting.error} />
      )}
      {rehearsal.error === null ? null : <ProblemNotice error={rehearsal.error} />}
    </form>
  );
}

function rehearsedWords({ receipts, caps, sinceUtc, isWhole }: NonNullable<ReturnType<typeof useRehearsal>['data']>): string {
  const { calls, refused } = refusedCalls(receipts, caps, sinceUtc);
  const of = `${counted(calls, 'charge')} ${isWhole ? `in ${REHEARSED_DAYS} days` : `among the newest ${whole(receipts.length)} receipts`}`;
  return `These caps would have refused ${whole(refused)} of ${of}, based on the maximum cost of each.`;
}
