import type { Schemas } from '@market-state/client';
import { useEffect, useState } from 'react';
import { read, service } from '../../service/client';
import { useRunningCost } from '../../service/meter';
import { isLoggedOut, useSession } from '../../service/session';
import { notificationOf } from './alert-notification';
import { turnBrowserAlerts, useBrowserAlerts } from '../../service/browser-alerts-flag';
import sheet from '../../theme/sheet.module.css';
import styles from './webhooks.module.css';
import { costWords } from './use-webhooks';

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
export function BrowserAlertsChoice() {
  const on = useBrowserAlerts();
  const [permission, setPermission] = useState(() => (hasNotifications() ? Notification.permission : 'denied'));
  if (!hasNotifications()) return null;
  const change = async (wanted: boolean): Promise<void> => {
    const granted = wanted && permission === 'default' ? await Notification.requestPermission() : permission;
    setPermission(granted);
    turnBrowserAlerts(wanted && granted === 'granted');
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
