import { whole } from '../../market/numbers';
import { useLeaving } from '../../service/visibility';
import { onForm } from '../../account/form';
import type { Schemas } from '@market-state/client';
import { VerificationError, verifyWebhook } from '@market-state/client/webhooks';
import { counted, duration } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useState, useEffect, useRef } from 'react';
import { ChangeButton } from '../../controls/buttons';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { urlText, useUrlOpen, useUrlState } from '../../service/url-state';
import { type Endpoint, useEndpoints } from '../../service/use-endpoints';
import sheet from '../../theme/sheet.module.css';
import { Attempts, MessageView } from './deliveries';
import { DeleteEndpoint, NewSecretDialog, RotateSecret, SendFailures, AddEndpoint, ChangeEndpoint } from './endpoint-dialogs';
import { EndpointTable, type EndpointAction, EndpointView } from './endpoints';
import { PullList } from './pull-list';
import { costWords, type NewSecret, useHealth } from './use-webhooks';
import { destinationName, notificationOf } from './webhook-words';
import styles from './webhooks.module.css';
import { headersOf } from './paste-headers';
import { read, service } from '../../service/client';
import { useRunningCost } from '../../service/meter';
import { isLoggedOut, useSession } from '../../service/session';
import { browserAlerts } from '../../service/stored-choice';

/** Same tolerance as the SDK: receivers refuse older signatures. */
const TOLERANCE_S = 300;

/** Runs the SDK's own check in this browser. Nothing is sent, and the secret goes with the page. */
function SignatureChecker() {
  const form = useRef<HTMLFormElement>(null);
  const { mutate, data, isPending } = useMutation({ mutationFn: check, gcTime: 0 });
  const forget = useCallback(() => form.current?.reset(), []);
  useLeaving(forget);
  return (
    <section className={sheet['panel']} aria-label="Signature checker">
      <h2>
        Verify a signature <span className={sheet['soft']}>checked in your browser; nothing is sent</span>
      </h2>
      <form ref={form} onSubmit={onForm((form) => mutate(form))} className={styles['checker']}>
        <label>
          Raw request body
          <textarea name="body" required rows={6} spellCheck={false} autoComplete="off" />
        </label>
        <label>
          Headers: webhook-id, webhook-timestamp, webhook-signature
          <textarea name="headers" required rows={6} spellCheck={false} autoComplete="off" placeholder="webhook-id: msg_…" />
        </label>
        <label>
          Signing secret
          <input name="secret" type="password" required autoComplete="off" placeholder="whsec_…" />
        </label>
        <p className={sheet['actions']}>
          <button type="submit" disabled={isPending}>
            Verify
          </button>
          <button type="reset">Clear</button>
          <span role="status" className={data?.isRight === false ? sheet['fault'] : undefined}>
            {data?.words ?? ''}
          </span>
        </p>
      </form>
    </section>
  );
}

interface Verdict {
  readonly isRight: boolean;
  readonly words: string;
}

/** Checks the signature first, regardless of its age, then the age. */
async function check(form: FormData): Promise<Verdict> {
  // Text fields normalize line ends to CRLF; bodies of the service have none, or LF.
  const body = String(form.get('body')).replaceAll('\r\n', '\n');
  const headers = headersOf(String(form.get('headers')));
  try {
    const { type } = await verifyWebhook(body, headers, String(form.get('secret')).trim(), { toleranceSeconds: Infinity });
    const ageS = Math.floor(Date.now() / 1_000) - Number(headers['webhook-timestamp']);
    const age = ageS > TOLERANCE_S ? ` It was signed ${duration(ageS * 1_000)} ago, and receivers refuse it after 5 min.` : '';
    return { isRight: true, words: `Valid signature: a ${type} message from this service.${age}` };
  } catch (error) {
    if (error instanceof VerificationError || error instanceof TypeError) return { isRight: false, words: error.message };
    throw error;
  }
}

export default function WebhooksPage() {
  const endpoints = useEndpoints();
  const health = useHealth();
  const [webhookId, setWebhookId] = useUrlState('webhook', urlText);
  const [messageId, setMessageId] = useUrlState('message', urlText);
  const [adds, setAdds] = useUrlOpen('add');
  const [open, setOpen] = useState<EndpointAction | null>(null);
  const [made, setMade] = useState<NewSecret | null>(null);
  const close = useCallback(() => setOpen(null), []);
  const forget = useCallback(() => setMade(null), []);
  const rows = endpoints.data ?? [];
  const record = rows.find(({ webhook_id: id }) => id === webhookId);
  const addressOf = (id: string): string => {
    const row = rows.find((one) => one.webhook_id === id);
    return row === undefined ? id : destinationName(row);
  };
  const take = (secret: NewSecret): void => {
    setMade(secret);
    setWebhookId(secret.endpoint.webhook_id);
  };
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Webhooks and other destinations</h1>
        {endpoints.data === undefined ? null : <span className={sheet['soft']}>{counted(rows.length, 'endpoint')}</span>}
        <span className={sheet['push']} />
        <ChangeButton className={sheet['go']} onClick={() => setAdds(true)}>
          Add endpoint
        </ChangeButton>
      </div>
      <BrowserAlertsChoice />
      <ProblemNotice error={endpoints.error} retry={() => void endpoints.refetch()} />
      <ProblemNotice error={health.error} retry={() => void health.refetch()} />
      {endpoints.isPending ? <Outline rows={4} label="Loading endpoints" /> : null}
      {endpoints.data !== undefined && rows.length === 0 ? (
        <Empty why="No endpoints yet.">
          Add Slack, Discord, Telegram, PagerDuty, an email or your own server, then send a test. Without a public server, market-state
          listen forwards the same messages to your machine.
        </Empty>
      ) : null}
      {rows.length === 0 ? null : <EndpointTable endpoints={rows} health={health.data} openId={webhookId} onOpen={setWebhookId} />}
      {rows.length === 0 ? null : (
        <p className={sheet['note']}>Opening an endpoint loads its attempts ({costWords('listWebhookDeliveries', {})}).</p>
      )}
      {health.data?.isWhole === false ? (
        <p className={sheet['note']}>Only the newest {whole(health.data.attempts.length)} attempts of the last 24 hours are counted.</p>
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
      {adds ? <AddEndpoint onSecret={take} onMade={setWebhookId} onClose={() => setAdds(false)} /> : null}
      {record === undefined || open === null ? null : <OpenDialog action={open} record={record} onSecret={take} onClose={close} />}
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

type Message = Schemas['WebhookMessageList']['events'][number];

/** Tabs that use the same name share the lock: one of them shows the alerts. */
const LOCK = 'browser-alerts';
const WAIT_SECONDS = 20;
const CALLS_AN_HOUR = 3_600 / WAIT_SECONDS;
const RETRY_MS = 30_000;

/** Shows new alerts as notifications of the browser. Loaded and mounted once they are turned on. */
export function BrowserAlerts() {
  const { data } = useSession();
  const follows = data !== undefined && Notification.permission === 'granted';
  useRunningCost('browser alerts', follows ? CALLS_AN_HOUR * (service.creditsAtMost('listWebhookEvents', {}) ?? 0) : null);
  useEffect(() => {
    if (!follows) return undefined;
    const stop = new AbortController();
    // Rejects once it is aborted while another tab has the lock.
    navigator.locks.request(LOCK, { signal: stop.signal }, () => followAlerts(stop.signal)).catch(() => undefined);
    return () => stop.abort();
  }, [follows]);
  return null;
}

/** Shows alerts from now on. Ends when the session does. */
async function followAlerts(signal: AbortSignal): Promise<void> {
  let cursor = '';
  while (!signal.aborted) {
    try {
      const place = cursor === '' ? { start: 'now' as const } : { cursor };
      const page = await read(service.webhooks.events({ kinds: 'alert.triggered', wait_seconds: WAIT_SECONDS, ...place }, { signal }));
      cursor = page.next_cursor;
      page.events.forEach(show);
    } catch (error) {
      if (signal.aborted || isLoggedOut(error)) return;
      await pause(signal);
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** Messages of one episode replace each other. A click opens the window that caused the message. */
function show({ data }: Message): void {
  const { title, body, tag, path } = notificationOf({ ...data });
  const notification = new Notification(title, { body, tag });
  notification.onclick = () => {
    window.focus();
    location.assign(path);
    notification.close();
  };
}

/** False in browsers without notifications, and on pages that are not secure. */
const hasNotifications = (): boolean => 'Notification' in globalThis && isSecureContext;

/** Turns notifications on, after asking the browser for permission. */
function BrowserAlertsChoice() {
  const on = browserAlerts.use() === 'on';
  const [permission, setPermission] = useState(() => (hasNotifications() ? Notification.permission : 'denied'));
  if (!hasNotifications()) return null;
  const change = async (wanted: boolean): Promise<void> => {
    const granted = wanted && permission === 'default' ? await Notification.requestPermission() : permission;
    setPermission(granted);
    browserAlerts.choose(wanted && granted === 'granted' ? 'on' : 'off');
  };
  return (
    <p className={`${sheet['actions']} ${styles['browser']}`}>
      <label className={styles['choice']}>
        <input
          type="checkbox"
          checked={on && permission === 'granted'}
          disabled={permission === 'denied'}
          onChange={({ target }) => void change(target.checked)}
        />
        Notify me of alerts in this browser while a page of the portal is open
      </label>
      <span className={sheet['soft']}>
        {permission === 'denied'
          ? 'Notifications are blocked: allow them for this site in the settings of the browser.'
          : `three calls a minute, each ${costWords('listWebhookEvents', {})}`}
      </span>
    </p>
  );
}
