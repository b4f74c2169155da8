import { whole } from '../../market/numbers';
import { type ComponentProps, useState } from 'react';
import { onForm } from '../../account/form';
import type { Params } from '@market-state/client';
import { Field } from '../../account/field';
import { fieldFaults } from '../../account/field-errors';
import { ProblemNotice } from '../../status-components/conditions';
import { marketWords } from '../../packets/market-name';
import dialog from '../../controls/dialog.module.css';
import { DialogActions, FormDialog, Modal } from '../../controls/dialog';
import { SecretDialog } from '../../controls/secret-dialog';
import { TimeField } from '../../controls/time-field';
import { BOUNDS } from '../../generated/bounds';
import type { Endpoint } from '../../service/use-endpoints';
import { clock } from '../../time/clock';
import { timeFault, instantOf } from '../../time/field-time';
import sheet from '../../theme/sheet.module.css';
import {
  costWords,
  type NewSecret,
  useDeleteEndpoint,
  useRecovery,
  useRotateSecret,
  useCreateEndpoint,
  useUpdateEndpoint,
} from './use-webhooks';
import { useSymbols } from '../../service/use-catalog';
import { ADDRESS_FIELDS, AddressFields, addressOf, KindChoice, withoutUnchanged } from './address-fields';
import { destinationName, kindWords } from './webhook-words';

const { description: DESCRIPTION_BOUNDS, event_kinds: KIND_BOUNDS } = BOUNDS.WebhookRequest;
const FIELDS = [...ADDRESS_FIELDS, 'digest_minutes', 'description', 'event_kinds', 'symbols'];
const USUAL_KINDS: readonly string[] = ['state.changed', 'alert.triggered', 'export.finished'];
/** Other destinations are read by people. */
const USUAL_KINDS_OF_PEOPLE: readonly string[] = ['alert.triggered'];

type Wish = Params<'createWebhook'>;

function wishOf(form: FormData): Wish {
  return {
    ...addressOf(form),
    description: String(form.get('description')).trim(),
    event_kinds: form.getAll('event_kinds') as Wish['event_kinds'],
    symbols: form.getAll('symbols').map(String),
  };
}

interface AddEndpointProps {
  readonly onSecret: (made: NewSecret) => void;
  readonly onMade: (webhookId: string) => void;
  readonly onClose: () => void;
}

/** The new secret goes only to `onSecret`. */
export function AddEndpoint({ onSecret, onMade, onClose }: AddEndpointProps) {
  const sending = useCreateEndpoint(onSecret, onMade, onClose);
  return (
    <EndpointForm
      title="Add endpoint"
      action="Add"
      cost={costWords('createWebhook', { url: 'https://', event_kinds: ['webhook.test'] })}
      sending={sending}
      onSubmit={sending.mutate}
      onClose={onClose}
    />
  );
}

export function ChangeEndpoint({ record, onClose }: { readonly record: Endpoint; readonly onClose: () => void }) {
  const sending = useUpdateEndpoint(onClose);
  return (
    <EndpointForm
      title="Edit endpoint"
      action="Save"
      cost={costWords('updateWebhook', { webhook_id: record.webhook_id })}
      record={record}
      sending={sending}
      onSubmit={({ kind: _, ...wish }) => sending.mutate({ webhook_id: record.webhook_id, ...withoutUnchanged(record, wish) })}
      onClose={onClose}
    />
  );
}

interface EndpointFormProps {
  readonly title: string;
  readonly action: string;
  readonly cost: string;
  readonly record?: Endpoint;
  readonly sending: ComponentProps<typeof FormDialog>['sending'];
  readonly onSubmit: (wish: Wish) => void;
  readonly onClose: () => void;
}

function EndpointForm({ title, action, cost, record, sending, onSubmit, onClose }: EndpointFormProps) {
  const faults = fieldFaults(sending.error);
  const [kind, setKind] = useState<Endpoint['kind']>(record?.kind ?? 'webhook');
  const kinds = record?.event_kinds ?? (kind === 'webhook' ? USUAL_KINDS : USUAL_KINDS_OF_PEOPLE);
  return (
    <FormDialog
      title={title}
      onSubmit={(form) => onSubmit(wishOf(form))}
      sending={sending}
      fields={FIELDS}
      action={action}
      cost={cost}
      onClose={onClose}
    >
      {record === undefined ? <KindChoice kind={kind} onKind={setKind} /> : <input type="hidden" name="kind" value={kind} />}
      <AddressFields key={kind} kind={kind} record={record} faults={faults} />
      <Field
        label="Description"
        name="description"
        maxLength={DESCRIPTION_BOUNDS.maxLength}
        autoComplete="off"
        defaultValue={record?.description}
      />
      <fieldset key={kind === 'webhook' ? 'programs' : 'people'}>
        <legend>Messages</legend>
        {KIND_BOUNDS.items.enum.map((name) => (
          <label key={name}>
            <input type="checkbox" name="event_kinds" value={name} defaultChecked={kinds.includes(name)} /> <b>{name}</b>{' '}
            <span className={sheet['soft']}>{kindWords(name)}</span>
          </label>
        ))}
        {faults.has('event_kinds') ? <p className={sheet['fault']}>{faults.get('event_kinds')}</p> : null}
      </fieldset>
      <SymbolChoice chosen={record?.symbols ?? []} fault={faults.get('symbols')} />
    </FormDialog>
  );
}

function SymbolChoice({ chosen, fault }: { readonly chosen: readonly string[]; readonly fault: string | undefined }) {
  const known = useSymbols();
  return (
    <fieldset>
      <legend>Symbols (none selected = all)</legend>
      {[...new Set([...chosen, ...known])].sort().map((symbol) => (
        <label key={symbol}>
          <input type="checkbox" name="symbols" value={symbol} defaultChecked={chosen.includes(symbol)} /> {marketWords(symbol)}
        </label>
      ))}
      {fault === undefined ? null : <p className={sheet['fault']}>{fault}</p>}
    </fieldset>
  );
}

interface DialogProps {
  readonly record: Endpoint;
  readonly onClose: () => void;
}

const GRACE = BOUNDS.WebhookRotationRequest.grace_hours;

/** Earlier secrets keep signing for a while, so that receivers can switch without interruption. */
export function RotateSecret({ record, onSecret, onClose }: DialogProps & { readonly onSecret: (made: NewSecret) => void }) {
  const sending = useRotateSecret(onSecret, onClose);
  const fault = fieldFaults(sending.error).get('grace_hours');
  return (
    <FormDialog
      title="Rotate secret"
      onSubmit={(form) => sending.mutate({ webhook_id: record.webhook_id, grace_hours: Number(form.get('grace_hours')) })}
      sending={sending}
      fields={['grace_hours']}
      action="Rotate"
      cost={costWords('rotateWebhookSecret', { webhook_id: record.webhook_id })}
      onClose={onClose}
    >
      <p>
        Messages to {record.url} will be signed with the new secret and, for the time below, also with the previous one. A receiver accepts
        a message if any of its signatures is valid.
      </p>
      <Field
        label="Keep the old secret for (hours)"
        name="grace_hours"
        type="number"
        required
        min={GRACE.minimum}
        max={GRACE.maximum}
        defaultValue={GRACE.default}
        hint="Use 0 if others may know the old secret: it then stops immediately."
        fault={fault}
      />
    </FormDialog>
  );
}

export function NewSecretDialog({ made: { secret, endpoint }, onClose }: { readonly made: NewSecret; readonly onClose: () => void }) {
  const old = endpoint.secrets.flatMap(({ expires_at_utc: expires }) => (expires === null ? [] : [expires]));
  return (
    <SecretDialog title="Your signing secret" noun="the secret" secret={secret} masked="whsec_…" onClose={onClose}>
      <p>
        Messages to {endpoint.url} are signed with it (Standard Webhooks).{' '}
        {endpoint.status === 'test_pending' ? 'Store it, then send a test: a 2xx response activates the endpoint.' : ''}
      </p>
      {old[0] === undefined ? null : <p>The previous secret is also used until {clock(old[0])}.</p>}
    </SecretDialog>
  );
}

/** Drops the messages still queued for the endpoint. */
export function DeleteEndpoint({ record, onClose }: DialogProps) {
  const sending = useDeleteEndpoint(onClose);
  return (
    <FormDialog
      title="Delete endpoint"
      onSubmit={() => sending.mutate(record.webhook_id)}
      sending={sending}
      action="Delete"
      cost={costWords('deleteWebhook', { webhook_id: record.webhook_id })}
      onClose={onClose}
    >
      <p>
        {destinationName(record)} stops receiving messages, and queued messages are dropped. Its receipts stay for 30 days. To stop it
        temporarily, pause it instead.
      </p>
    </FormDialog>
  );
}

const DAY_MS = 86_400_000;
/** Limit of the service. */
const DAYS_MAX = 14;

/** Resends failed and unsent messages since an instant, and shows the progress. */
export function SendFailures({ record, onClose }: DialogProps) {
  const { begin, task, taskError } = useRecovery();
  const [openedMs] = useState(() => Date.now());
  const [fault, setFault] = useState('');
  const failing = record.failing_since_utc === null ? openedMs - DAY_MS : Date.parse(record.failing_since_utc);
  const oldestMs = openedMs - DAYS_MAX * DAY_MS;
  const submit = onForm((form) => {
    const wrong = timeFault(form.get('since'));
    setFault(wrong);
    if (wrong !== '') return;
    begin.mutate({
      webhookId: record.webhook_id,
      kind: form.get('kind') === 'recover' ? 'recover' : 'replay_missing',
      since: new Date(instantOf(form.get('since'))).toISOString(),
    });
  });
  const refused = fieldFaults(begin.error).get('since');
  return (
    <Modal title="Resend failed messages" onClose={onClose}>
      <form onSubmit={submit} className={dialog['form']}>
        <fieldset>
          <legend>To {destinationName(record)}</legend>
          <label>
            <input type="radio" name="kind" value="recover" defaultChecked /> failed messages, including those dropped while it was disabled
          </label>
          <label>
            <input type="radio" name="kind" value="replay_missing" /> messages it subscribes to now but never received
          </label>
        </fieldset>
        <TimeField
          label="Created since"
          name="since"
          ms={Math.max(oldestMs, failing)}
          hint={`Up to ${DAYS_MAX} days back. Messages keep their ids, so receivers can drop duplicates.`}
          fault={fault === '' ? refused : fault}
        />
        <ProblemNotice error={begin.error} fields={['since']} />
        <ProblemNotice error={taskError} />
        <p role="status">
          {task === undefined
            ? ''
            : `${task.status === 'done' ? 'Done' : 'In progress'}: ${whole(task.found)} found, ${whole(task.delivered)} delivered, ${whole(task.failed)} failed.`}
        </p>
        <DialogActions
          action="Resend"
          isDisabled={begin.isPending || task !== undefined}
          cost={`${costWords('recoverWebhook', { webhook_id: record.webhook_id, since: '' })}, and 1 per progress update`}
          onClose={onClose}
        />
        <p className={sheet['soft']}>Each delivered message is charged as usual.</p>
      </form>
    </Modal>
  );
}
