import type { Params } from '@market-state/client';
import type { FormEvent } from 'react';
import { Field } from '../../account/field';
import { fieldFaults, isSaidAtFields } from '../../account/field-faults';
import { ProblemNotice } from '../../conditions/problem-notice';
import dialog from '../../controls/dialog.module.css';
import { DialogActions, Modal } from '../../controls/dialog';
import { BOUNDS } from '../../generated/bounds';
import { useCatalog } from '../../service/use-catalog';
import type { Endpoint } from '../../service/use-endpoints';
import sheet from '../../theme/sheet.module.css';
import { type NewSecret, costWords, useCreateEndpoint, useUpdateEndpoint } from './use-webhooks';
import { kindWords } from './webhook-words';

const { url: URL_BOUNDS, description: DESCRIPTION_BOUNDS, event_kinds: KIND_BOUNDS } = BOUNDS.WebhookRequest;
const FIELDS = ['url', 'description', 'event_kinds', 'symbols'];
const USUAL_KINDS: readonly string[] = ['state.changed', 'alert.triggered', 'export.finished'];

type Wish = Params<'createWebhook'>;

function wishOf(form: FormData): Wish {
  return {
    url: String(form.get('url')).trim(),
    description: String(form.get('description')).trim(),
    event_kinds: form.getAll('event_kinds') as Wish['event_kinds'],
    symbols: form.getAll('symbols').map(String),
  };
}

/** A new endpoint. Its secret goes to `onSecret` alone. */
export function AddEndpoint({ onSecret, onClose }: { readonly onSecret: (made: NewSecret) => void; readonly onClose: () => void }) {
  const { mutate, isPending, error } = useCreateEndpoint(onSecret, onClose);
  return (
    <EndpointForm
      title="Add an endpoint"
      action="Add it"
      cost={costWords('createWebhook', { url: 'https://', event_kinds: ['webhook.test'] })}
      isSending={isPending}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    />
  );
}

export function ChangeEndpoint({ record, onClose }: { readonly record: Endpoint; readonly onClose: () => void }) {
  const { mutate, isPending, error } = useUpdateEndpoint(onClose);
  return (
    <EndpointForm
      title="Change the endpoint"
      action="Change it"
      cost={costWords('updateWebhook', { webhook_id: record.webhook_id })}
      record={record}
      isSending={isPending}
      error={error}
      // An address that is sent again would need a new test, as another one does.
      onSubmit={({ url, ...wish }) => mutate({ webhook_id: record.webhook_id, ...wish, ...(url === record.url ? {} : { url }) })}
      onClose={onClose}
    />
  );
}

interface EndpointFormProps {
  readonly title: string;
  readonly action: string;
  readonly cost: string;
  readonly record?: Endpoint;
  readonly isSending: boolean;
  readonly error: unknown;
  readonly onSubmit: (wish: Wish) => void;
  readonly onClose: () => void;
}

function EndpointForm({ title, action, cost, record, isSending, error, onSubmit, onClose }: EndpointFormProps) {
  const faults = fieldFaults(error);
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    onSubmit(wishOf(new FormData(submitted.currentTarget)));
  };
  const kinds = record?.event_kinds ?? USUAL_KINDS;
  return (
    <Modal title={title} onClose={onClose}>
      <form onSubmit={submit} className={dialog['form']}>
        <Field
          label="Address"
          name="url"
          type="url"
          required
          pattern={URL_BOUNDS.pattern.replace('^', '').concat('.*')}
          maxLength={URL_BOUNDS.maxLength}
          placeholder="https://example.com/hooks/market-state"
          autoComplete="off"
          defaultValue={record?.url}
          hint={
            record === undefined
              ? 'https, a public host name, port 443 or 8443. It gets tests alone until it answers one with 2xx.'
              : 'Another address gets nothing until it answers a test with 2xx.'
          }
          fault={faults.get('url')}
        />
        <Field
          label="What it is for"
          name="description"
          maxLength={DESCRIPTION_BOUNDS.maxLength}
          autoComplete="off"
          defaultValue={record?.description}
          fault={faults.get('description')}
        />
        <fieldset>
          <legend>Messages</legend>
          {KIND_BOUNDS.items.enum.map((kind) => (
            <label key={kind}>
              <input type="checkbox" name="event_kinds" value={kind} defaultChecked={kinds.includes(kind)} /> <b>{kind}</b>{' '}
              <span className={sheet['soft']}>{kindWords(kind)}</span>
            </label>
          ))}
          {faults.has('event_kinds') ? <p className={sheet['fault']}>{faults.get('event_kinds')}</p> : null}
        </fieldset>
        <SymbolChoice chosen={record?.symbols ?? []} fault={faults.get('symbols')} />
        {error === null || isSaidAtFields(error, FIELDS) ? null : <ProblemNotice error={error} />}
        <DialogActions action={action} isDisabled={isSending} cost={cost} onClose={onClose} />
      </form>
    </Modal>
  );
}

function SymbolChoice({ chosen, fault }: { readonly chosen: readonly string[]; readonly fault: string | undefined }) {
  const catalog = useCatalog();
  const known = (catalog.data?.symbols ?? []).map(({ symbol }) => symbol);
  return (
    <fieldset>
      <legend>Symbols; none chosen takes all</legend>
      {[...new Set([...chosen, ...known])].sort().map((symbol) => (
        <label key={symbol}>
          <input type="checkbox" name="symbols" value={symbol} defaultChecked={chosen.includes(symbol)} /> {symbol}
        </label>
      ))}
      {fault === undefined ? null : <p className={sheet['fault']}>{fault}</p>}
    </fieldset>
  );
}
