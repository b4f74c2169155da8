import { useRead, service } from '../../service/client';
import { Choice } from '../../controls/choice';
import { Hidden, Table } from '../../controls/table';
import type { Schemas } from '@market-state/client';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { DownloadAll } from '../../controls/download-all';
import { SourceRibbon } from '../../status-components/source-ribbon';
import records from '../../controls/records.module.css';
import { SpendButton } from '../../controls/buttons';
import { BOUNDS } from '../../generated/bounds';
import { urlList, urlText, useUrlState } from '../../service/url-state';
import type { Endpoint } from '../../service/use-endpoints';
import sheet from '../../theme/sheet.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { DeliveryList } from './deliveries';
import { messageWords } from './webhook-words';
import { costWords, readMessages, useMessage, useResend } from './use-webhooks';
import styles from './webhooks.module.css';

type PulledMessage = Schemas['WebhookMessageList']['events'][number];

const PULLED_A_PAGE = 25;

/** @param cursor start of the page; empty for the oldest stored message */
function usePullList(cursor: string, kinds: readonly string[], isRequested: boolean) {
  return useRead(
    ['webhooks', 'pull', cursor, kinds.join()],
    (options) =>
      service.webhooks.events(
        { limit: PULLED_A_PAGE, ...(cursor === '' ? {} : { cursor }), ...(kinds.length === 0 ? {} : { kinds: kinds.join() }) },
        options,
      ),
    { enabled: isRequested, staleTime: Infinity, placeholderData: keepPreviousData },
  );
}

/** Replaces a cursor in the URL: start at the oldest stored message. */
const OLDEST = 'oldest';
const KINDS = BOUNDS.WebhookRequest.event_kinds.items.enum;

interface PullListProps {
  readonly endpoints: readonly Endpoint[];
  readonly addressOf: (webhookId: string) => string;
  readonly onOpen: (messageId: string) => void;
}

export function PullList({ endpoints, addressOf, onOpen }: PullListProps) {
  const [place, setPlace] = useUrlState('pull', urlText);
  const [kinds, setKinds] = useUrlState('kinds', urlList);
  const { data, error, isFetching, isPlaceholderData, refetch } = usePullList(place === OLDEST ? '' : place, kinds, place !== '');
  const live = endpoints.filter(({ status }) => status === 'live');
  const rows = data?.events ?? [];
  const isEnd = data !== undefined && rows.length === 0;
  return (
    <section aria-label="Pull list">
      <div className={sheet['bar']}>
        <h2>
          Pull list <span className={sheet['soft']}>the same messages in order, stored for 14 days, if you can't receive webhooks</span>
        </h2>
        <Choice
          className={sheet['push']}
          label="Kind"
          value={kinds[0] ?? ''}
          options={['', ...KINDS]}
          say={(kind) => kind || 'all'}
          onChoose={(kind) => setKinds(kind === '' ? [] : [kind])}
        />
        {place === OLDEST ? null : (
          <button type="button" disabled={isFetching} onClick={() => setPlace(OLDEST)}>
            From the oldest
          </button>
        )}
        {place === '' ? null : (
          <button type="button" disabled={isFetching} onClick={() => void refetch()}>
            Refresh
          </button>
        )}
        <span className={sheet['soft']}>
          {costWords('listWebhookEvents', {})}; opening a message: {costWords('getWebhookEvent', { message_id: '' })}
        </span>
      </div>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {place !== '' && data === undefined && error === null ? <Outline rows={4} label="Loading messages" /> : null}
      {isEnd ? (
        <Empty why={place === OLDEST ? 'No messages yet.' : 'No newer messages yet.'}>
          {place === OLDEST
            ? 'Endpoints, alerts and exports create them.'
            : 'A program polls here with wait_seconds and stores the cursor.'}
        </Empty>
      ) : null}
      {rows.length === 0 ? null : (
        <>
          <SourceRibbon states={rows.map((row) => (messageWords(row).isSimulated ? 'synthetic' : 'live'))} />
          <MessageTable messages={rows} live={live} addressOf={addressOf} onOpen={onOpen} />
          <p className={`${sheet['note'] ?? ''} ${sheet['actions'] ?? ''}`}>
            <button type="button" disabled={isFetching || isPlaceholderData} onClick={() => setPlace(data?.next_cursor ?? OLDEST)}>
              Next page
            </button>
            <DownloadAll name="messages" readAll={() => readMessages(kinds)} /> {costWords('listWebhookEvents', {})}
          </p>
        </>
      )}
      {place !== '' && place !== OLDEST ? (
        <p className={sheet['note']}>
          This page starts after the cursor <code>{place}</code>
        </p>
      ) : null}
    </section>
  );
}

interface MessageTableProps extends Pick<PullListProps, 'addressOf' | 'onOpen'> {
  readonly messages: readonly PulledMessage[];
  readonly live: readonly Endpoint[];
}

function MessageTable({ messages, live, addressOf, onOpen }: MessageTableProps) {
  const [chosenId, setChosenId] = useState('');
  const target = live.find(({ webhook_id: id }) => id === chosenId) ?? live[0];
  return (
    <>
      {target === undefined ? (
        <p className={sheet['note']}>No endpoint is live, so nothing can be sent again.</p>
      ) : (
        <p className={sheet['note']}>
          <Choice
            label="Send again to"
            value={target.webhook_id}
            options={live.map(({ webhook_id: id }) => id)}
            say={addressOf}
            onChoose={setChosenId}
          />
        </p>
      )}
      <Table
        className={styles['pulled']}
        caption="Messages, oldest first"
        rows={messages}
        keyOf={({ id }) => id}
        columns={[
          { head: zoned('Created'), cell: ({ timestamp }) => clockBelow(timestamp) },
          { head: 'Message', cell: (message) => <Message message={message} onOpen={onOpen} /> },
          { head: 'Symbol', cell: (message) => messageWords(message).symbol ?? 'none' },
          { head: 'Deliveries', cell: ({ id }) => <Deliveries messageId={id} addressOf={addressOf} /> },
          {
            head: <Hidden>Send again</Hidden>,
            cell: ({ id }) => <SendAgain messageId={id} target={target} addressOf={addressOf} />,
            className: records['acts'],
          },
        ]}
      />
    </>
  );
}

function Message({ message, onOpen }: Pick<PullListProps, 'onOpen'> & { readonly message: PulledMessage }) {
  const { sentence, eventId, isSimulated } = messageWords(message);
  return (
    <>
      <button type="button" className={records['open']} onClick={() => onOpen(message.id)}>
        {message.type}
      </button>{' '}
      {isSimulated ? <span className={records['mark']}>simulated</span> : null}
      <span className={records['more']}>
        {sentence}
        {eventId === null ? null : (
          <>
            , <Link href={`/packet/${eventId}`}>packet</Link>
          </>
        )}
      </span>
    </>
  );
}

interface SendAgainProps extends Pick<PullListProps, 'addressOf'> {
  readonly messageId: string;
  /** Undefined if no endpoint is live. */
  readonly target: Endpoint | undefined;
}

function SendAgain({ messageId, target, addressOf }: SendAgainProps) {
  const resend = useResend();
  return (
    <>
      {target === undefined ? null : (
        <SpendButton
          action="Send again"
          busy="Sending…"
          creditsAtMost={service.creditsAtMost('resendWebhookEvent', { message_id: messageId, webhook_id: target.webhook_id })}
          needs="member"
          isBusy={resend.isPending}
          onPress={() => resend.mutate({ message_id: messageId, webhook_id: target.webhook_id })}
        />
      )}
      {resend.isSuccess ? (
        <span role="status" className={records['more']}>
          queued for {addressOf(target?.webhook_id ?? '')}
        </span>
      ) : null}
      <ProblemNotice error={resend.error} />
    </>
  );
}

/** Loaded on request, because the list does not include it. */
function Deliveries({ messageId, addressOf }: { readonly messageId: string; readonly addressOf: PullListProps['addressOf'] }) {
  const [isRequested, setIsAsked] = useState(false);
  const { data, error, isFetching, refetch } = useMessage(messageId, isRequested);
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (data !== undefined)
    return <DeliveryList messageId={messageId} deliveries={data.deliveries} addressOf={addressOf} canResend={false} />;
  return (
    <SpendButton
      action="Show"
      busy="Loading…"
      creditsAtMost={service.creditsAtMost('getWebhookEvent', { message_id: messageId })}
      isBusy={isFetching}
      onPress={() => setIsAsked(true)}
    />
  );
}
