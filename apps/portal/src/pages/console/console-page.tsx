import { useSearchParams } from 'wouter';
import { snippetsOf, variable } from '@market-state/call-snippets';
import { counted } from '@market-state/packet-figures';
import { type FormEvent, useState, useId } from 'react';
import { Empty, ProblemNotice } from '../../status-components/conditions';
import sheet from '../../theme/sheet.module.css';
import { CallerPanel, useCaller, type Calling } from './caller-panel';
import { OperationTitle, type CallOperation, findOperation, operations, NO_FORM, type NoForm, type CallField } from './operations';
import { DialogActions, Modal } from '../../controls/dialog';
import { SpendButton, CopyButton } from '../../controls/buttons';
import { urlText, withUrlValue } from '../../service/url-state';
import styles from './console.module.css';
import { readForm, type Filled, boundWords } from './field-values';
import { MessageList, OutcomeView, useCall } from './call-outcome';

export default function ConsolePage() {
  const [params, setParams] = useSearchParams();
  const calling = useCaller();
  const operationId = params.get('operation') ?? '';
  const operation = findOperation(operationId);
  const noForm = operation === undefined ? undefined : NO_FORM[operation.id];
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Console</h1>
        <label>
          Operation{' '}
          <select value={operation?.id ?? ''} onChange={({ target }) => setParams({ operation: target.value })}>
            <option value="" disabled>
              choose one
            </option>
            {tags.map((tag) => (
              <optgroup key={tag} label={tag}>
                {operations
                  .filter((each) => each.tag === tag)
                  .map(({ id, summary }) => (
                    <option key={id} value={id}>
                      {summary}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        <span className={sheet['soft']}>call any operation of the API and see what it costs</span>
      </div>
      <div className={sheet['panels']}>
        <CallerPanel calling={calling} />
        {operation === undefined ? (
          <Empty why={operationId === '' ? 'No operation selected.' : `There is no operation ${operationId}.`}>
            Choose one above, or open it from the <a href="/docs/reference/operations">documentation</a>, which fills in the form.
          </Empty>
        ) : noForm === undefined ? (
          <CallPanel key={operation.id} operation={operation} calling={calling} />
        ) : (
          <NoFormView operation={operation} noForm={noForm} />
        )}
      </div>
    </>
  );
}

const tags = [...new Set(operations.map(({ tag }) => tag))];

function NoFormView({ operation, noForm: { why, instead } }: { readonly operation: CallOperation; readonly noForm: NoForm }) {
  return (
    <section className={sheet['panel']} aria-label={operation.summary}>
      <OperationTitle operation={operation} />
      <p>This operation can't be called from here. {why}</p>
      {instead === null ? null : (
        <p className={sheet['actions']}>
          <a href={instead.href}>{instead.words}</a>
        </p>
      )}
    </section>
  );
}

interface FieldInputProps {
  readonly field: CallField;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}

function FieldInput({ field, text, fault, onText }: FieldInputProps) {
  const id = useId();
  const bounds = boundWords(field);
  const choices = choicesOf(field, text);
  const input = {
    id,
    name: field.name,
    value: text,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault === undefined ? `${id}-about` : `${id}-fault ${id}-about`,
  };
  const onChange = ({ target }: { readonly target: { readonly value: string } }): void => onText(target.value);
  return (
    <div className={`${styles['field']} ${field.type === 'json' ? styles['wide'] : ''}`}>
      <label htmlFor={id}>
        <code>{field.name}</code>
        {field.required === true ? <span className={sheet['soft']}> required</span> : null}
      </label>
      {choices === null ? (
        field.type === 'json' ? (
          <textarea {...input} rows={4} spellCheck={false} autoComplete="off" onChange={onChange} />
        ) : (
          <input
            {...input}
            inputMode={field.type === 'integer' ? 'numeric' : undefined}
            autoComplete="off"
            spellCheck={false}
            onChange={onChange}
          />
        )
      ) : (
        <select {...input} onChange={onChange}>
          <option value="">{field.required === true ? 'choose' : 'not set'}</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
      {fault === undefined ? null : (
        <p id={`${id}-fault`} className={sheet['fault']}>
          {fault}
        </p>
      )}
      <p id={`${id}-about`} className={sheet['soft']}>
        {field.about.replaceAll('`', '')} {bounds === '' ? '' : `(${bounds})`}
      </p>
    </div>
  );
}

/** Options for a field with a fixed set of values, including the value in the address; null for a free field. */
function choicesOf({ type, enum: listed, nullable }: CallField, text: string): readonly string[] | null {
  const known = type === 'boolean' ? [true, false, ...(nullable === true ? [null] : [])] : listed;
  if (known === undefined) return null;
  const choices = known.filter((choice) => choice !== '').map(String);
  return text === '' || choices.includes(text) ? choices : [...choices, text];
}

function SnippetsView({ operation, filled }: { readonly operation: CallOperation; readonly filled: Filled }) {
  const { method, path, sdk, needsCredential, fields } = operation;
  const [chosen, setChosen] = useState('curl');
  const missing = (place: 'path' | 'body') =>
    fields
      .filter((field) => field.in === place && field.required === true)
      .map(({ name }) => [name, variable(name.toUpperCase())] as const);
  const snippets = snippetsOf(
    {
      method,
      route: path,
      sdkName: sdk,
      takesKey: needsCredential,
      places: { ...Object.fromEntries(missing('path')), ...filled.places },
      query: filled.query,
      ...(fields.some((field) => field.in === 'body') ? { body: { ...Object.fromEntries(missing('body')), ...filled.body } } : {}),
    },
    location.origin,
  );
  const shown = snippets.find(({ name }) => name === chosen) ?? snippets[0];
  return (
    <section className={sheet['panel']} aria-label="Call it from a program">
      <h2>Call it from a program</h2>
      <p className={`${sheet['actions']} ${styles['languages']}`}>
        {snippets.map(({ name }) => (
          <button key={name} type="button" aria-pressed={name === shown?.name} onClick={() => setChosen(name)}>
            {name}
          </button>
        ))}
      </p>
      {shown === undefined ? null : (
        <>
          <pre className={styles['code']} tabIndex={0} role="region" aria-label={`Call with ${shown.name}`}>
            <code>{shown.code}</code>
          </pre>
          <p className={sheet['actions']}>
            <CopyButton text={shown.code} label={`Copy ${shown.name}`} />
            <span className={sheet['soft']}>{needsCredential ? 'Reads the key from MARKET_STATE_API_KEY.' : 'No key needed.'}</span>
          </p>
        </>
      )}
    </section>
  );
}

function CallPanel({ operation, calling }: { readonly operation: CallOperation; readonly calling: Calling }) {
  const [params, setParams] = useSearchParams();
  const [isChecked, setIsChecked] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const filled = readForm(operation, (name) => params.get(name) ?? '');
  const call = useCall(operation, filled, calling);
  const { caller, client } = calling;
  const isCallerMissing = operation.needsCredential && caller.kind === 'anonymous';
  const isWrite = operation.method !== 'GET';

  const submit = (submitted?: FormEvent): void => {
    submitted?.preventDefault();
    setIsChecked(true);
    if (filled.faults.size > 0 || isCallerMissing) return;
    if (call.creditsAtMost === null) call.askCost();
    else if (isWrite) setIsConfirming(true);
    else call.send();
  };
  return (
    <>
      <section className={sheet['panel']} aria-label={operation.summary}>
        <OperationTitle operation={operation} />
        <p className={styles['about']}>{operation.about.replaceAll('`', '')}</p>
        {operation.sandbox === 'refused' ? <p className={sheet['soft']}>Sandbox keys can't call this operation.</p> : null}
        <form onSubmit={submit} className={styles['form']} noValidate>
          <div className={styles['fields']}>
            {operation.fields.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                text={params.get(field.name) ?? ''}
                fault={(isChecked ? filled.faults.get(field.name) : undefined) ?? call.faults.get(field.name)}
                onText={(text) => setParams((before) => withUrlValue(before, field.name, urlText, text), { replace: true })}
              />
            ))}
          </div>
          {isChecked && isCallerMissing ? (
            <p role="status" className={sheet['fault']}>
              Choose a credential first; a sandbox key is free.
            </p>
          ) : null}
          <p className={sheet['actions']}>
            {call.creditsAtMost === null ? (
              <button type="submit" disabled={call.isAskingCost}>
                {call.isAskingCost ? 'Loading…' : 'Get a free quote'}
              </button>
            ) : (
              <SpendButton
                action="Send"
                busy="Sending…"
                creditsAtMost={call.creditsAtMost}
                {...(call.unit === undefined ? {} : { unit: call.unit })}
                isBusy={call.isAsking}
                onPress={submit}
              />
            )}
            {call.isStream && call.isAsking ? (
              <button type="button" onClick={call.stop}>
                Stop
              </button>
            ) : null}
          </p>
        </form>
        <ProblemNotice error={call.costError} hasKey={caller.kind === 'key'} />
        {call.error === null || call.isSaidAtFields ? null : <ProblemNotice error={call.error} hasKey={caller.kind === 'key'} />}
        {call.isAsking && call.isStream ? <MessageList messages={call.messages} isOver={false} /> : null}
        {call.answered === null ? null : (
          <OutcomeView
            answered={call.answered}
            client={client}
            streamFacts={calling.newestFacts()}
            left={caller.kind === 'key' && caller.isSandbox ? 'call' : 'credit'}
          />
        )}
      </section>
      <SnippetsView operation={operation} filled={filled} />
      {isConfirming ? (
        <Modal title={`${operation.summary}?`} onClose={() => setIsConfirming(false)}>
          <form
            className={styles['form']}
            onSubmit={(submitted) => {
              submitted.preventDefault();
              setIsConfirming(false);
              call.send();
            }}
          >
            <p>
              This is not a dry run. It takes effect for {callerWords(caller)}. <code>{sentLine(operation, filled, client)}</code>
            </p>
            <p>{operation.about.replaceAll('`', '')}</p>
            <DialogActions
              needs="read_only"
              action={operation.method === 'DELETE' ? 'Delete permanently' : 'Confirm'}
              isDisabled={call.isAsking}
              cost={call.creditsAtMost === 0 ? 'free' : `at most ${counted(call.creditsAtMost ?? 0, call.unit ?? 'credit')}`}
              onClose={() => setIsConfirming(false)}
            />
          </form>
        </Modal>
      ) : null}
    </>
  );
}

function callerWords(caller: Calling['caller']): string {
  if (caller.kind === 'session') return caller.tenant;
  return caller.kind === 'key' ? `the owner of key ${caller.masked}` : 'this server';
}

function sentLine({ id }: CallOperation, filled: ReturnType<typeof readForm>, client: Calling['client']): string {
  const { method, path } = client.requestOf(id, { ...filled.places, ...filled.query, ...filled.body } as never);
  return `${method} ${path}`;
}
