import { whole } from '../../market/numbers';
import { Facts } from '../../controls/facts';
import { onForm } from '../../account/form';
import { Table } from '../../controls/table';
import { counted } from '@market-state/packet-figures';
import { Field } from '../../account/field';
import { fieldFaults } from '../../account/field-errors';
import { ChangeButton } from '../../controls/buttons';
import { marketsWords } from '../../packets/market-name';
import dialog from '../../controls/dialog.module.css';
import { BOUNDS } from '../../generated/bounds';
import { clockSpan, clockBelow, zoned } from '../../time/clock';
import { destinationName, digestWords, healthOf, healthWord, statusWords, outcomeWords } from './webhook-words';
import {
  type Attempt,
  HEALTH_HOURS,
  type useHealth,
  costWords,
  useConfirmEmail,
  useEnableEndpoint,
  useTestEndpoint,
  useUpdateEndpoint,
} from './use-webhooks';
import styles from './webhooks.module.css';
import records from '../../controls/records.module.css';
import type { Endpoint } from '../../service/use-endpoints';
import { ProblemNotice } from '../../status-components/conditions';
import sheet from '../../theme/sheet.module.css';

export type EndpointAction = 'change' | 'rotate' | 'failures' | 'delete';

const ACTIONS: readonly (readonly [EndpointAction, string])[] = [
  ['change', 'Change'],
  ['rotate', 'Rotate secret'],
  ['failures', 'Resend failed'],
  ['delete', 'Delete'],
];

interface EndpointViewProps {
  readonly record: Endpoint;
  readonly onAct: (action: EndpointAction) => void;
  readonly onClose: () => void;
}

export function EndpointView({ record, onAct, onClose }: EndpointViewProps) {
  const { webhook_id: webhookId } = record;
  const test = useTestEndpoint();
  const update = useUpdateEndpoint();
  const enable = useEnableEndpoint();
  const error = test.error ?? update.error ?? enable.error;
  return (
    <section className={sheet['panel']} aria-label="Endpoint details">
      <div className={sheet['head']}>
        <h2 className={styles['address']}>{destinationName(record)}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Facts
        className={styles['facts']}
        facts={[
          ['Status', statusWords(record)],
          ['Id', webhookId],
          [zoned('Added'), clockBelow(record.created_at_utc)],
          record.kind === 'webhook' ? ['Signing secrets', secretWords(record)] : ['Sends', digestWords(record.digest_minutes)],
          record.confirmed_at_utc === null ? null : [zoned('Confirmed'), clockBelow(record.confirmed_at_utc)],
          record.paused_until_utc === null ? null : [zoned('Paused until'), pauseWords(record.paused_until_utc, record.kind)],
        ]}
      />
      <p className={sheet['actions']}>
        <ChangeButton className={sheet['go']} disabled={test.isPending} onClick={() => test.mutate(webhookId)}>
          {test.isPending ? 'Waiting for a response…' : 'Send test (free)'}
        </ChangeButton>
        {record.status === 'disabled' ? (
          <ChangeButton disabled={enable.isPending} onClick={() => enable.mutate(webhookId)}>
            Enable
          </ChangeButton>
        ) : (
          <ChangeButton disabled={update.isPending} onClick={() => update.mutate({ webhook_id: webhookId, disabled: true })}>
            Pause
          </ChangeButton>
        )}
        {ACTIONS.filter(([action]) => action !== 'rotate' || record.kind === 'webhook').map(([action, word]) => (
          <ChangeButton key={action} onClick={() => onAct(action)}>
            {word}
          </ChangeButton>
        ))}
        <span className={sheet['soft']}>each, except the test {costWords('enableWebhook', { webhook_id: webhookId })}</span>
      </p>
      <p role="status">{test.data === undefined ? '' : testWords(test.data)}</p>
      {record.kind === 'email' && record.confirmed_at_utc === null && record.status === 'test_pending' ? (
        <ConfirmEmail webhookId={webhookId} />
      ) : null}
      <ProblemNotice error={error} />
    </section>
  );
}

function secretWords({ secrets }: Pick<Endpoint, 'secrets'>): string {
  return secrets
    .map(({ created_at_utc: made, expires_at_utc: expires }) =>
      expires === null ? `created ${clockBelow(made)}` : `valid until ${clockBelow(expires)}`,
    )
    .join(', ');
}

function pauseWords(until: string, kind: Endpoint['kind']): string {
  return `${clockBelow(until)}, ${kind === 'webhook' ? 'after too many failures' : 'by a rate limit or after too many failures'}`;
}

/** Entering the mailed code makes the endpoint live. */
function ConfirmEmail({ webhookId }: { readonly webhookId: string }) {
  const { mutate, isPending, error } = useConfirmEmail();
  const fault = fieldFaults(error).get('code');
  const submit = onForm((form) => mutate({ webhook_id: webhookId, code: String(form.get('code')) }));
  return (
    <form onSubmit={submit} className={dialog['form']}>
      <Field
        label="Code from the mail"
        name="code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={BOUNDS.WebhookConfirmRequest.code.maxLength}
        hint="Eight digits, valid for 30 minutes. A new test mails a new code, at most three a day."
        fault={fault}
      />
      <p className={sheet['actions']}>
        <ChangeButton type="submit" disabled={isPending}>
          Confirm
        </ChangeButton>
        <span className={sheet['soft']}>{costWords('confirmWebhook', { webhook_id: webhookId, code: '' })}</span>
      </p>
      {error === null || fault !== undefined ? null : <ProblemNotice error={error} />}
    </form>
  );
}

function testWords({ succeeded, attempt, webhook }: NonNullable<ReturnType<typeof useTestEndpoint>['data']>): string {
  if (succeeded && webhook.kind === 'email' && webhook.status !== 'live')
    return `A code was mailed to ${webhook.email ?? ''}. Enter it below.`;
  if (attempt === null) return 'The test was sent but has no result yet. Check the attempts below.';
  const how = `${outcomeWords(attempt)} after ${whole(attempt.duration_ms)} ms`;
  if (succeeded) return `Test ${how}: the endpoint is live.`;
  return `Test failed: ${how}.${attempt.reason === null ? '' : ` ${attempt.reason.replace(/\.?$/, '.')}`}`;
}

interface EndpointTableProps {
  readonly endpoints: readonly Endpoint[];
  /** Undefined while loading. */
  readonly health: ReturnType<typeof useHealth>['data'];
  readonly openId: string;
  readonly onOpen: (webhookId: string) => void;
}

export function EndpointTable({ endpoints, health, openId, onOpen }: EndpointTableProps) {
  return (
    <Table
      className={records['table']}
      caption="Webhook endpoints, newest first"
      rows={endpoints}
      keyOf={(endpoint) => endpoint.webhook_id}
      rowProps={(endpoint) => ({ 'data-off': endpoint.status === 'disabled', 'aria-current': endpoint.webhook_id === openId })}
      columns={[
        {
          head: 'Endpoint',
          cell: (endpoint) => (
            <>
              <button type="button" className={records['open']} onClick={() => onOpen(endpoint.webhook_id)}>
                {destinationName(endpoint)}
              </button>
              <span className={records['more']}>
                {endpoint.digest_minutes === 0 ? '' : `${digestWords(endpoint.digest_minutes)} `}
                {endpoint.description} {endpoint.test_target ? <span className={records['mark']}>test host</span> : null}
              </span>
            </>
          ),
        },
        {
          head: 'Status',
          cell: (endpoint) => (
            <>
              {statusWords(endpoint)}
              {endpoint.failing_since_utc === null ? null : (
                <span className={records['more']}>failing since {clockBelow(endpoint.failing_since_utc)}</span>
              )}
            </>
          ),
        },
        {
          head: 'Attempts in the last 24 hours',
          cell: (endpoint) =>
            health === undefined ? '…' : <HealthStrip attempts={health.attempts} webhookId={endpoint.webhook_id} toMs={health.toMs} />,
        },
        {
          head: 'Messages',
          cell: (endpoint) => (
            <>
              {endpoint.event_kinds.join(', ')}
              <span className={records['more']}>
                {endpoint.symbols.length === 0 ? 'for all symbols' : `for ${marketsWords(endpoint.symbols)}`}
              </span>
            </>
          ),
        },
        { head: 'Queued', cell: (endpoint) => whole(endpoint.waiting), className: records['number'] },
        {
          head: zoned('Last delivery'),
          cell: (endpoint) => (endpoint.last_success_at_utc === null ? 'never' : clockBelow(endpoint.last_success_at_utc)),
        },
      ]}
    />
  );
}

const SLOTS = 48;

interface HealthStripProps {
  readonly attempts: readonly Attempt[];
  readonly webhookId: string;
  readonly toMs: number;
}

/** Half an hour per cell: full if all attempts were delivered, hatched if some failed. */
function HealthStrip({ attempts, webhookId, toMs }: HealthStripProps) {
  const slots = healthOf(attempts, webhookId, toMs, HEALTH_HOURS, SLOTS);
  const total = slots.reduce((sum, slot) => sum + slot.attempts, 0);
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0);
  const sentence = total === 0 ? 'no attempts in 24 h' : `${counted(total, 'attempt')} in 24 h, ${failed} failed`;
  return (
    <>
      <div className={styles['strip']} role="img" aria-label={sentence}>
        {slots.map((slot) => (
          <i
            key={slot.startMs}
            data-health={healthWord(slot)}
            title={`${clockSpan(slot.startMs, slot.endMs, 'timeMinute')}: ${counted(slot.attempts, 'attempt')}, ${slot.failed} failed`}
          />
        ))}
      </div>
      <span className={styles['more']}>{sentence}</span>
    </>
  );
}
