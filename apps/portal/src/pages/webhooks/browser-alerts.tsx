import type { Schemas } from '@market-state/client';
import { useEffect, useSyncExternalStore } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { read, service } from '../../service/client';
import { useRunningCost } from '../../service/meter';
import { isLoggedOut, useSession } from '../../service/session';
import { followShared } from '../../service/shared-stream';
import { notificationOf } from './alert-notification';

type Message = Schemas['WebhookMessageList']['events'][number];

const KEY = 'browser-alerts';
export const WAIT_SECONDS = 20;
const CALLS_AN_HOUR = 3_600 / WAIT_SECONDS;
const RETRY_MS = 30_000;
const listeners = new Set<() => void>();
let isOn = stored();

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) === 'on';
  } catch {
    return false;
  }
}

/** Stored for the next visit if the browser allows it. */
export function turnBrowserAlerts(on: boolean): void {
  isOn = on;
  try {
    localStorage.setItem(KEY, on ? 'on' : 'off');
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
  for (const listener of listeners) listener();
}

function watch(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

export const useBrowserAlerts = (): boolean => useSyncExternalStore(watch, () => isOn);

/** False in browsers without notifications, and on pages that are not secure. */
export const hasNotifications = (): boolean => 'Notification' in globalThis && isSecureContext;

/** Shows new alerts as notifications of the browser. Mounted once; all tabs share one stream. */
export function BrowserAlerts() {
  const on = useBrowserAlerts();
  const { data } = useSession();
  const follows = on && data !== undefined && hasNotifications() && Notification.permission === 'granted';
  useRunningCost('browser alerts', follows ? CALLS_AN_HOUR * (service.creditsAtMost('listWebhookEvents', {}) ?? 0) : null);
  useEffect(() => {
    if (!follows) return undefined;
    const stop = new AbortController();
    const ignore = (): void => undefined;
    const shared = {
      name: KEY,
      open: ({ signal }: { readonly signal: AbortSignal }) => newAlerts(signal),
      onMessage: ignore,
      onConnection: ignore,
      onFailure: ignore,
    };
    void followShared(shared, stop.signal);
    return () => stop.abort();
  }, [follows]);
  return null;
}

/** Alerts from now on, shown by the tab that reads them. Ends when the session does. */
async function* newAlerts(signal: AbortSignal): AsyncGenerator<string> {
  let cursor = '';
  while (!signal.aborted) {
    try {
      const place = cursor === '' ? { start: 'now' as const } : { cursor };
      const page = await read(service.webhooks.events({ kinds: 'alert.triggered', wait_seconds: WAIT_SECONDS, ...place }, { signal }));
      cursor = page.next_cursor;
      for (const message of page.events) {
        show(message);
        yield message.id;
      }
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
    navigate(path);
    notification.close();
  };
}
