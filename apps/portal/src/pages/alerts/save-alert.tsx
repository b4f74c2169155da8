import type { FormEvent } from 'react';
import { Field } from '../../account/field';
import { ProblemNotice } from '../../conditions/problem-notice';
import { BOUNDS } from '../../generated/bounds';
import sheet from '../../theme/sheet.module.css';
import { AlertDestination } from './alert-destination';
import styles from './alerts.module.css';
import { type Rule, ruleWords, settingWords, toWire } from './rule';
import { refusedFields } from './rule-faults';
import { costWords, useCreateAlert } from './use-alerts';

interface SaveAlertProps {
  readonly rule: Rule;
  readonly symbol: string;
  /** `A` or `B` where two are compared. */
  readonly setting: string | null;
}

const NAME = BOUNDS.AlertRequest.name;

/** Makes the rule an alert, which is looked at on each packet from now on. */
export function SaveAlert({ rule, symbol, setting }: SaveAlertProps) {
  const { mutate, isPending, isSuccess, error } = useCreateAlert();
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate({ name: String(new FormData(submitted.currentTarget).get('name')).trim(), symbol, rule: toWire(rule) });
  };
  const fault = refusedFields(error).get('name');
  return (
    <form onSubmit={submit} className={styles['save']}>
      <Field
        label={`Name of the alert${setting === null ? '' : ` with setting ${setting}`}`}
        name="name"
        required
        maxLength={NAME.maxLength}
        autoComplete="off"
        defaultValue={`${symbol} ${ruleWords(rule)}`.slice(0, NAME.maxLength)}
        fault={fault}
      />
      <AlertDestination symbols={[symbol]} />
      <p className={sheet['actions']}>
        <button type="submit" className={sheet['go']} disabled={isPending}>
          {isPending ? 'Saving…' : 'Save it as an alert'}
        </button>
        <span className={sheet['soft']}>{costWords('createAlert', { name: '', symbol, rule: toWire(rule) })}</span>
        <span role="status">{isSuccess ? `Saved. It triggers ${settingWords(rule)}.` : ''}</span>
      </p>
      {error === null || (fault !== undefined && refusedFields(error).size === 1) ? null : <ProblemNotice error={error} />}
    </form>
  );
}
