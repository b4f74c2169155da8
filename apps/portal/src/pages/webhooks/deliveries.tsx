import { whole } from '../../market/numbers';
import { Loaded, Outline, Empty, ProblemNotice } from '../../status-components/conditions';
import { Choice } from '../../controls/choice';
import { Table } from '../../controls/table';
import type { Schemas } from '@market-state/client';
import { counted, words } from '@market-state/packet-figures';
import { useEffect, useRef } from 'react';
import { MoreRows } from '../../controls/download-all';
import { CopyButton, SpendButton } from '../../controls/buttons';
import sheet from '../../theme/sheet.module.css';
import { clock, clockBelow, zoned } from '../../time/clock';
import { costWords, readAttempts, useMessage, useResend, type Attempt, useAttempts } from './use-webhooks';
import styles from './webhooks.module.css';
import { service } from '../../service/client';
import records from '../../controls/records.module.css';
import { urlWord, useUrlState } from '../../service/url-state';
import { outcomeWords } from './webhook-words';

const OUTCOMES = ['', 'failed', 'ok'] as const;
const OUTCOME = urlWord(OUTCOMES, '');
const OUTCOME_WORDS = { '': 'all', failed: 'failed', ok: 'delivered' } as const;

interface AttemptsProps {
  /** Empty for all endpoints. */
  readonly webhookId: string;
  readonly addressOf: (webhookId: string) => string;
  readonly onOpen: (messageId: string) => void;
}

export function Attempts({ webhookId, addressOf, onOpen }: AttemptsProps) {
  const [outcome, setOutcome] = useUrlState('outcome', OUTCOME);
  const attempts = useAttempts(webhookId, outcome);
  const rows = attempts.data?.pages.flatMap((page) => page.attempts) ?? [];
  return (
    <section aria-label="Attempts">
      <div className={sheet['bar']}>
        <h2>
          Attempts{' '}
          <span className={`${sheet['soft']} ${styles['address']}`}>
            {webhookId === '' ? 'to all endpoints' : `to ${addressOf(webhookId)}`}
          </span>
        </h2>
        <Choice
          className={sheet['push']}
          label="Show"
          value={outcome}
          options={OUTCOMES}
          say={(each) => OUTCOME_WORDS[each]}
          onChoose={setOutcome}
        />
        <button type="button" disabled={attempts.isFetching} onClick={() => void attempts.refetch()}>
          Refresh
        </button>
        <span className={sheet['soft']}>
          {costWords('listWebhookDeliveries', {})}; opening a message: {costWords('getWebhookEvent', { message_id: '' })}
        </span>
      </div>
      <ProblemNotice error={attempts.error} retry={() => void attempts.refetch()} />
      {attempts.isPending ? <Outline rows={4} label="Loading attempts" /> : null}
      {attempts.data !== undefined && rows.length === 0 ? (
        <Empty why={outcome === 'failed' ? 'No failed attempts in 30 days.' : 'Nothing has been sent in 30 days.'}>
          {outcome === '' ? 'Open an endpoint and send a test. It is free, and its result appears here immediately.' : undefined}
        </Empty>
      ) : null}
      {rows.length === 0 ? null : <AttemptTable attempts={rows} addressOf={addressOf} onOpen={onOpen} />}
      {rows.length === 0 ? null : (
        <MoreRows
          list={attempts}
          className={`${sheet['note'] ?? ''} ${sheet['actions'] ?? ''}`}
          action="Older attempts"
          name="attempts"
          readAll={() => readAttempts(webhookId, outcome)}
          cost={costWords('listWebhookDeliveries', {})}
        />
      )}
    </section>
  );
}

interface AttemptTableProps {
  readonly attempts: readonly Attempt[];
  readonly addressOf: (webhookId: string) => string;
  readonly onOpen?: (messageId: string) => void;
}

function AttemptTable({ attempts, addressOf, onOpen }: AttemptTableProps) {
  return (
    <Table
      className={records['table']}
      caption="Delivery attempts, newest first"
      rows={attempts}
      keyOf={(attempt) => attempt.attempt_id}
      columns={[
        { head: zoned('Started'), cell: (attempt) => clockBelow(attempt.started_at_utc) },
        {
          head: 'Message',
          cell: (attempt) => (
            <>
              {onOpen === undefined ? (
                attempt.event_kind
              ) : (
                <button type="button" className={records['open']} onClick={() => onOpen(attempt.message_id)}>
                  {attempt.event_kind}
                </button>
              )}
              <span className={records['more']}>{attempt.message_id}</span>
            </>
          ),
        },
        { head: 'Endpoint', cell: (attempt) => <span className={styles['address']}>{addressOf(attempt.webhook_id)}</span> },
        { head: 'Attempt', cell: (attempt) => attempt.number, className: records['number'] },
        {
          head: 'Outcome',
          cell: (attempt) => (
            <>
              {attempt.outcome === 'ok' ? outcomeWords(attempt) : <b>{outcomeWords(attempt)}</b>}
              {attempt.reason === null ? null : <span className={records['more']}>{attempt.reason}</span>}
              {attempt.snippet === '' ? null : <span className={records['more']}>{attempt.snippet}</span>}
            </>
          ),
        },
        { head: 'Duration, ms', cell: (attempt) => whole(attempt.duration_ms), className: records['number'] },
        {
          head: zoned('Next attempt'),
          cell: (attempt) => (attempt.next_attempt_at_utc === null ? 'none' : clockBelow(attempt.next_attempt_at_utc)),
        },
      ]}
    />
  );
}

interface DeliveryListProps {
  readonly messageId: string;
  readonly deliveries: readonly Schemas['WebhookDelivery'][];
  readonly addressOf: (webhookId: string) => string;
  /** False if another button already resends it. */
  readonly canResend?: boolean;
}

export function DeliveryList({ messageId, deliveries, addressOf, canResend = true }: DeliveryListProps) {
  const resend = useResend();
  return (
    <>
      {deliveries.length === 0 ? <p className={sheet['soft']}>No endpoint receives it: it is only in the pull list.</p> : null}
      <ul className={styles['list']}>
        {deliveries.map(
          ({
            delivery_id: id,
            webhook_id: webhookId,
            status,
            attempts: total,
            next_attempt_at_utc: next,
            market_state_credits: credits,
          }) => (
            <li key={id}>
              {addressOf(webhookId)}: <b>{words(status)}</b> after {counted(total, 'attempt')}
              {next === null ? '' : `, next at ${clock(next)}`}, {counted(credits, 'credit')} charged{' '}
              {canResend ? (
                <SpendButton
                  action="Send again"
                  busy="Sending…"
                  creditsAtMost={service.creditsAtMost('resendWebhookEvent', { message_id: messageId, webhook_id: webhookId })}
                  needs="member"
                  isBusy={resend.isPending}
                  onPress={() => resend.mutate({ message_id: messageId, webhook_id: webhookId })}
                />
              ) : null}
            </li>
          ),
        )}
      </ul>
      <ProblemNotice error={resend.error} />
    </>
  );
}

interface MessageViewProps {
  readonly messageId: string;
  readonly addressOf: (webhookId: string) => string;
  readonly onClose: () => void;
}

export function MessageView({ messageId, addressOf, onClose }: MessageViewProps) {
  const message = useMessage(messageId);
  const place = useRef<HTMLElement>(null);
  // It may be opened from a list further down the page.
  useEffect(() => {
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section ref={place} className={sheet['panel']} aria-label="Message details">
      <div className={sheet['head']}>
        <h2>
          {message.data?.event_kind ?? 'Message'} <code>{messageId}</code>
        </h2>
        <button type="button" disabled={message.isFetching} onClick={() => void message.refetch()}>
          Refresh
        </button>
        <span className={sheet['soft']}>{costWords('getWebhookEvent', { message_id: messageId })}</span>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Loaded query={message} rows={6} label="Loading the message">
        {(data) => <Message message={data} addressOf={addressOf} />}
      </Loaded>
    </section>
  );
}

interface MessageProps {
  readonly message: NonNullable<ReturnType<typeof useMessage>['data']>;
  readonly addressOf: (webhookId: string) => string;
}

function Message({ message, addressOf }: MessageProps) {
  const { message_id: messageId, body, deliveries, attempts } = message;
  const text = body === null ? '' : JSON.stringify(body, null, 2);
  return (
    <>
      <DeliveryList messageId={messageId} deliveries={deliveries} addressOf={addressOf} />
      <AttemptTable attempts={attempts} addressOf={addressOf} />
      <details>
        <summary>Body, created {clock(message.created_at_utc)}</summary>
        {body === null ? (
          <p>No longer stored: bodies are kept for 14 days.</p>
        ) : (
          <div className={styles['body']}>
            <pre>
              <code>{text}</code>
            </pre>
            <CopyButton text={text} label="Copy body" />
          </div>
        )}
      </details>
    </>
  );
}
