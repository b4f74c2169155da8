import { counted, utc, words } from '@market-state/packet-figures';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { CopyButton } from '../../controls/copy-button';
import { SpendButton } from '../../controls/spend-button';
import { service } from '../../service/client';
import sheet from '../../theme/sheet.module.css';
import { AttemptTable } from './attempts';
import { costWords, useMessage, useResend } from './use-webhooks';
import styles from './webhooks.module.css';

interface MessageViewProps {
  readonly messageId: string;
  readonly addressOf: (webhookId: string) => string;
  readonly onClose: () => void;
}

/** One message: its body as it is sent, what became of it at each endpoint, and every attempt. */
export function MessageView({ messageId, addressOf, onClose }: MessageViewProps) {
  const { data, error, refetch, isFetching } = useMessage(messageId);
  return (
    <section className={sheet['panel']} aria-label="Open message">
      <div className={sheet['head']}>
        <h2>
          {data?.event_kind ?? 'Message'} <code>{messageId}</code>
        </h2>
        <button type="button" disabled={isFetching} onClick={() => void refetch()}>
          Look again
        </button>
        <span className={sheet['soft']}>{costWords('getWebhookEvent', { message_id: messageId })}</span>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {error === null ? null : <ProblemNotice error={error} retry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <Outline rows={6} label="Loading the message" />
        ) : null
      ) : (
        <Message message={data} addressOf={addressOf} />
      )}
    </section>
  );
}

interface MessageProps {
  readonly message: NonNullable<ReturnType<typeof useMessage>['data']>;
  readonly addressOf: (webhookId: string) => string;
}

function Message({ message, addressOf }: MessageProps) {
  const resend = useResend();
  const { message_id: messageId, body, deliveries, attempts } = message;
  const text = body === null ? '' : JSON.stringify(body, null, 2);
  return (
    <>
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
              {next === null ? '' : `, next at ${utc(Date.parse(next))} UTC`}, {counted(credits, 'credit')} charged{' '}
              <SpendButton
                action="Send it again"
                busy="Sending…"
                creditsAtMost={service.creditsAtMost('resendWebhookEvent', { message_id: messageId, webhook_id: webhookId })}
                isBusy={resend.isPending}
                onPress={() => resend.mutate({ message_id: messageId, webhook_id: webhookId })}
              />
            </li>
          ),
        )}
      </ul>
      {resend.error === null ? null : <ProblemNotice error={resend.error} />}
      <AttemptTable attempts={attempts} addressOf={addressOf} />
      <details>
        <summary>Body, made {utc(Date.parse(message.created_at_utc))} UTC</summary>
        {body === null ? (
          <p>It is no longer kept: bodies are kept for 14 days.</p>
        ) : (
          <div className={styles['body']}>
            <pre>
              <code>{text}</code>
            </pre>
            <CopyButton text={text} label="Copy the body as shown" />
          </div>
        )}
      </details>
    </>
  );
}
