import { Choice } from '../../controls/choice';
import type { ComponentProps } from 'react';
import { Field } from '../../account/field';
import { fieldFaults } from '../../account/field-errors';
import dialog from '../../controls/dialog.module.css';
import { FormDialog } from '../../controls/dialog';
import { SecretDialog } from '../../controls/secret-dialog';
import { expiryDay, SCOPES, WINDOWS, windowWords } from './key-values';
import styles from './keys.module.css';
import type { Key, NewKey } from './use-keys';
import { CopyButton } from '../../controls/buttons';
import { clock } from '../../time/clock';
import { INTO_ENVIRONMENT, SNIPPET_CREDITS, snippetsFor } from './snippets';

export function NewKeyDialog({ made: { secret, record, ending }, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  const snippets = snippetsFor(location.origin, record);
  return (
    <SecretDialog title={`Your new key: ${record.name}`} noun="the key" secret={secret} masked={record.display} onClose={onClose}>
      {ending === undefined ? null : (
        <p>
          The old key, <code>{ending.display}</code>,{' '}
          {ending.expires_utc === null ? 'does not expire.' : `works until ${clock(ending.expires_utc)}.`}
        </p>
      )}
      {snippets.length === 0 ? null : (
        <section aria-label="First calls" className={styles['snippets']}>
          <h3>First calls</h3>
          <p className={styles['soft']}>
            First put the key into the environment: run this line, paste the key and press Enter. It stays out of your shell history.
          </p>
          <Code name="the line" code={INTO_ENVIRONMENT} />
          {snippets.map(({ name, code }) => (
            <div key={name}>
              <h4>
                {name}
                {name === 'CLI' ? (
                  <span className={styles['soft']}> webhook messages, forwarded to your local server</span>
                ) : (
                  <span className={styles['soft']}> newest packet, {SNIPPET_CREDITS} credit</span>
                )}
              </h4>
              <Code name={name} code={code} />
            </div>
          ))}
        </section>
      )}
    </SecretDialog>
  );
}

function Code({ name, code }: { readonly name: string; readonly code: string }) {
  return (
    <div className={styles['code']}>
      <pre>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={`Copy ${name}`} />
    </div>
  );
}

/** Limits of the service. */
const CREDITS_MAX = 1_000_000_000;
const FIELDS = ['name', 'kind', 'scopes', 'expires_at', 'credits', 'window_seconds', 'calls_per_minute'];

interface KeyFormProps {
  /** Absent for a new key. */
  readonly record?: Key;
  readonly sending: ComponentProps<typeof FormDialog>['sending'];
  readonly onSubmit: (form: FormData) => void;
  readonly onClose: () => void;
}

export function KeyForm({ record, sending, onSubmit, onClose }: KeyFormProps) {
  const faults = fieldFaults(sending.error);
  const ceiling = record?.credit_ceiling ?? null;
  return (
    <FormDialog
      title={record === undefined ? 'Create a key' : `Edit ${record.name}`}
      onSubmit={onSubmit}
      sending={sending}
      fields={FIELDS}
      action={record === undefined ? 'Create key' : 'Save'}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        defaultValue={record?.name}
        hint="For example: research notebook."
      />
      {record === undefined ? <Kind /> : null}
      <fieldset>
        <legend>Scopes</legend>
        {SCOPES.map(([scope, meaning]) => (
          <label key={scope}>
            <input
              type="checkbox"
              name="scopes"
              value={scope}
              defaultChecked={record === undefined ? scope === 'read' : record.scopes.includes(scope)}
            />{' '}
            <b>{scope}</b> <span className={styles['soft']}>{meaning}</span>
          </label>
        ))}
        {faults.has('scopes') ? <p className={styles['fault']}>{faults.get('scopes')}</p> : null}
      </fieldset>
      <div className={dialog['pair']}>
        <Field
          label="Credit limit"
          name="credits"
          type="number"
          min={1}
          max={CREDITS_MAX}
          step={1}
          defaultValue={ceiling?.credits}
          hint="Applies to both credit types. Leave blank for no limit."
          fault={faults.get('credits') ?? faults.get('credit_ceiling')}
        />
        <Choice
          className={styles['choice']}
          label="per"
          name="window_seconds"
          defaultValue={String(ceiling?.window_seconds ?? 86_400)}
          options={windowsWith(ceiling?.window_seconds).map(String)}
          say={(seconds) => windowWords(Number(seconds))}
        />
      </div>
      <Field
        label="Calls per minute"
        name="calls_per_minute"
        type="number"
        min={1}
        step={1}
        defaultValue={record?.rate_limit?.calls_per_minute}
        hint="At most your plan's total. Leave blank to use the plan limit."
        fault={faults.get('calls_per_minute') ?? faults.get('rate_limit')}
      />
      <Field
        label="Expiry day (UTC)"
        name="expires_at"
        type="date"
        defaultValue={record === undefined ? '' : expiryDay(record)}
        hint="Expires at the end of this day (UTC). Leave blank for no expiry."
      />
    </FormDialog>
  );
}

function Kind() {
  return (
    <fieldset>
      <legend>Kind</legend>
      <label>
        <input type="radio" name="kind" value="live" defaultChecked /> <b>Live</b> <span className={styles['soft']}>real-time data</span>
      </label>
      <label>
        <input type="radio" name="kind" value="test" /> <b>Test</b> <span className={styles['soft']}>data delayed by ten minutes</span>
      </label>
    </fieldset>
  );
}

/** Adds the key's own window if it is not one of the usual ones. */
function windowsWith(seconds: number | undefined): readonly number[] {
  const usual = WINDOWS.map(([each]) => each as number);
  return seconds === undefined || usual.includes(seconds) ? usual : [...usual, seconds].sort((a, b) => a - b);
}
