import { useEffect, useRef } from 'react';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { CopyButton } from '../../controls/copy-button';
import sheet from '../../theme/sheet.module.css';
import { clock } from '../../time/clock';
import { AttemptTable } from './attempts';
import { DeliveryList } from './delivery-list';
import { costWords, useMessage } from './use-webhooks';
import styles from './webhooks.module.css';

interface MessageViewProps {
  readonly messageId: string;
  readonly addressOf: (webhookId: string) => string;
  readonly onClose: () => void;
}

/** One message: its body as it is sent, what became of it at each endpoint, and every attempt. */
export function MessageView({ messageId, addressOf, onClose }: MessageViewProps) {
  const { data, error, refetch, isFetching } = useMessage(messageId);
  const place = useRef<HTMLElement>(null);
  // It is opened from lists that lie below it.
  useEffect(() => {
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section ref={place} className={sheet['panel']} aria-label="Open message">
      <div className={sheet['head']}>
        <h2>
          {data?.event_kind ?? 'Message'} <code>{messageId}</code>
        </h2>
        <button type="button" disabled={isFetching} onClick={() => void refetch()}>
          Refresh
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
  const { message_id: messageId, body, deliveries, attempts } = message;
  const text = body === null ? '' : JSON.stringify(body, null, 2);
  return (
    <>
      <DeliveryList messageId={messageId} deliveries={deliveries} addressOf={addressOf} />
      <AttemptTable attempts={attempts} addressOf={addressOf} />
      <details>
        <summary>Body, made {clock(Date.parse(message.created_at_utc))}</summary>
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
