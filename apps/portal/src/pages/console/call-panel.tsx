import { counted } from '@market-state/packet-figures';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { ProblemNotice } from '../../conditions/problem-notice';
import { DialogActions } from '../../controls/dialog-actions';
import { Modal } from '../../controls/modal';
import { SpendButton } from '../../controls/spend-button';
import { urlText, withUrlValue } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import styles from './console.module.css';
import { FieldInput } from './field-input';
import { readForm } from './field-values';
import { OperationTitle } from './operation-title';
import type { CallOperation } from './operations';
import { MessageList, OutcomeView } from './outcome-view';
import { SnippetsView } from './snippets-view';
import { useCall } from './use-call';
import type { Calling } from './use-caller';

const TEXT = urlText();

/** An operation: its form, what it costs, what came of it, and the same call from a program. */
export function CallPanel({ operation, calling }: { readonly operation: CallOperation; readonly calling: Calling }) {
  const [params, setParams] = useSearchParams();
  const [isChecked, setIsChecked] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const filled = readForm(operation, (name) => params.get(name) ?? '');
  const call = useCall(operation, filled, calling);
  const { caller, client } = calling;
  const isCallerMissing = operation.needsCredential && caller.kind === 'nobody';
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
        {operation.sandbox === 'refused' ? <p className={sheet['soft']}>A sandbox key is refused here.</p> : null}
        <form onSubmit={submit} className={styles['form']} noValidate>
          <div className={styles['fields']}>
            {operation.fields.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                text={params.get(field.name) ?? ''}
                fault={(isChecked ? filled.faults.get(field.name) : undefined) ?? call.faults.get(field.name)}
                onText={(text) => setParams((before) => withUrlValue(before, field.name, TEXT, text), { replace: true })}
              />
            ))}
          </div>
          {isChecked && isCallerMissing ? (
            <p role="status" className={sheet['fault']}>
              Choose who calls first: a sandbox key is free.
            </p>
          ) : null}
          <p className={sheet['actions']}>
            {call.creditsAtMost === null ? (
              <button type="submit" disabled={call.isAskingCost}>
                {call.isAskingCost ? 'Asking…' : 'Ask what it costs, free'}
              </button>
            ) : (
              <SpendButton
                action="Call it"
                busy="Calling…"
                creditsAtMost={call.creditsAtMost}
                {...(call.unit === undefined ? {} : { unit: call.unit })}
                isBusy={call.isAsking}
                onPress={submit}
              />
            )}
            {call.isStream && call.isAsking ? (
              <button type="button" onClick={call.stop}>
                Stop it
              </button>
            ) : null}
          </p>
        </form>
        {call.costError === null ? null : <ProblemNotice error={call.costError} hasKey={caller.kind === 'key'} />}
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
              This is not a trial: it does what it says, for {callerWords(caller)}. <code>{sentLine(operation, filled, client)}</code>
            </p>
            <p>{operation.about.replaceAll('`', '')}</p>
            <DialogActions
              action={operation.method === 'DELETE' ? 'Do it for good' : 'Do it'}
              isDisabled={call.isAsking}
              cost={call.creditsAtMost === 0 ? 'costs nothing' : `at most ${counted(call.creditsAtMost ?? 0, call.unit ?? 'credit')}`}
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
  return caller.kind === 'key' ? `the owner of the key ${caller.masked}` : 'this server';
}

/** Method and address as they are sent. */
function sentLine({ id }: CallOperation, filled: ReturnType<typeof readForm>, client: Calling['client']): string {
  const { method, path } = client.requestOf(id, { ...filled.places, ...filled.query, ...filled.body } as never);
  return `${method} ${path}`;
}
