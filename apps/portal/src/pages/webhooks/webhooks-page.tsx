import { counted } from '@market-state/packet-figures';
import { useCallback, useState } from 'react';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { urlText, useUrlState } from '../../service/url-state';
import { type Endpoint, useEndpoints } from '../../service/use-endpoints';
import sheet from '../../theme/sheet.module.css';
import { Attempts } from './attempts';
import { DeleteEndpoint, NewSecretDialog, RotateSecret, SendFailures } from './endpoint-dialogs';
import { AddEndpoint, ChangeEndpoint } from './endpoint-form';
import { EndpointTable } from './endpoint-table';
import { type EndpointAction, EndpointView } from './endpoint-view';
import { MessageView } from './message-view';
import { PullList } from './pull-list';
import { SignatureChecker } from './signature-checker';
import { costWords, type NewSecret, useHealth } from './use-webhooks';
import styles from './webhooks.module.css';

const TEXT = urlText();

export default function WebhooksPage() {
  const endpoints = useEndpoints();
  const health = useHealth();
  const [webhookId, setWebhookId] = useUrlState('webhook', TEXT);
  const [messageId, setMessageId] = useUrlState('message', TEXT);
  const [open, setOpen] = useState<EndpointAction | 'add' | null>(null);
  const [made, setMade] = useState<NewSecret | null>(null);
  const close = useCallback(() => setOpen(null), []);
  const forget = useCallback(() => setMade(null), []);
  const rows = endpoints.data ?? [];
  const record = rows.find(({ webhook_id: id }) => id === webhookId);
  const addressOf = (id: string): string => rows.find((row) => row.webhook_id === id)?.url ?? id;
  const take = (secret: NewSecret): void => {
    setMade(secret);
    setWebhookId(secret.endpoint.webhook_id);
  };
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Webhooks</h1>
        {endpoints.data === undefined ? null : <span className={sheet['soft']}>{counted(rows.length, 'endpoint')}</span>}
        <span className={sheet['push']} />
        <button type="button" className={sheet['go']} onClick={() => setOpen('add')}>
          Add an endpoint
        </button>
      </div>
      {endpoints.error === null ? null : <ProblemNotice error={endpoints.error} retry={() => void endpoints.refetch()} />}
      {health.error === null ? null : <ProblemNotice error={health.error} retry={() => void health.refetch()} />}
      {endpoints.isPending ? <Outline rows={4} label="Loading the endpoints" /> : null}
      {endpoints.data !== undefined && rows.length === 0 ? (
        <Empty why="No endpoint is registered.">
          Add the address of your server, store its signing secret, and send it a test. Without a public server, market-state listen brings
          the same messages to your machine.
        </Empty>
      ) : null}
      {rows.length === 0 ? null : <EndpointTable endpoints={rows} health={health.data} openId={webhookId} onOpen={setWebhookId} />}
      {rows.length === 0 ? null : (
        <p className={sheet['note']}>Opening an endpoint reads its attempts: that {costWords('listWebhookDeliveries', {})}.</p>
      )}
      {health.data?.isWhole === false ? (
        <p className={sheet['note']}>
          Of the last 24 hours the newest {health.data.attempts.length.toLocaleString('en-US')} attempts are counted.
        </p>
      ) : null}
      <div className={styles['panels']}>
        {record === undefined ? null : <EndpointView key={webhookId} record={record} onAct={setOpen} onClose={() => setWebhookId('')} />}
        {messageId === '' ? null : (
          <MessageView key={messageId} messageId={messageId} addressOf={addressOf} onClose={() => setMessageId('')} />
        )}
      </div>
      <Attempts webhookId={webhookId} addressOf={addressOf} onOpen={setMessageId} />
      <PullList endpoints={rows} addressOf={addressOf} onOpen={setMessageId} />
      <div className={styles['panels']}>
        <SignatureChecker />
      </div>
      {open === 'add' ? <AddEndpoint onSecret={take} onClose={close} /> : null}
      {record === undefined || open === null || open === 'add' ? null : (
        <OpenDialog action={open} record={record} onSecret={take} onClose={close} />
      )}
      {made === null ? null : <NewSecretDialog made={made} onClose={forget} />}
    </>
  );
}

interface OpenDialogProps {
  readonly action: EndpointAction;
  readonly record: Endpoint;
  readonly onSecret: (made: NewSecret) => void;
  readonly onClose: () => void;
}

function OpenDialog({ action, record, onSecret, onClose }: OpenDialogProps) {
  switch (action) {
    case 'change':
      return <ChangeEndpoint record={record} onClose={onClose} />;
    case 'rotate':
      return <RotateSecret record={record} onSecret={onSecret} onClose={onClose} />;
    case 'failures':
      return <SendFailures record={record} onClose={onClose} />;
    case 'delete':
      return <DeleteEndpoint record={record} onClose={onClose} />;
  }
}
