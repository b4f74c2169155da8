import type { Schemas } from '@market-state/client';
import { counted, words } from '@market-state/packet-figures';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SpendButton } from '../../controls/spend-button';
import { service } from '../../service/client';
import sheet from '../../theme/sheet.module.css';
import { clock } from '../../time/clock';
import { useResend } from './use-webhooks';
import styles from './webhooks.module.css';

interface DeliveryListProps {
  readonly messageId: string;
  readonly deliveries: readonly Schemas['WebhookDelivery'][];
  readonly addressOf: (webhookId: string) => string;
  /** False where it is sent again by a button elsewhere. */
  readonly canResend?: boolean;
}

/** What became of a message at each endpoint; it can be sent there again. */
export function DeliveryList({ messageId, deliveries, addressOf, canResend = true }: DeliveryListProps) {
  const resend = useResend();
  return (
    <>
      {deliveries.length === 0 ? <p className={sheet['soft']}>No endpoint takes it: it is in the pull list alone.</p> : null}
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
              {next === null ? '' : `, next at ${clock(Date.parse(next))}`}, {counted(credits, 'credit')} charged{' '}
              {canResend ? (
                <SpendButton
                  action="Send it again"
                  busy="Sending…"
                  creditsAtMost={service.creditsAtMost('resendWebhookEvent', { message_id: messageId, webhook_id: webhookId })}
                  isBusy={resend.isPending}
                  onPress={() => resend.mutate({ message_id: messageId, webhook_id: webhookId })}
                />
              ) : null}
            </li>
          ),
        )}
      </ul>
      {resend.error === null ? null : <ProblemNotice error={resend.error} />}
    </>
  );
}
