import { useState } from 'react';
import { turnBrowserAlerts, useBrowserAlerts } from '../../service/browser-alerts-flag';
import sheet from '../../theme/sheet.module.css';
import styles from './webhooks.module.css';
import { costWords } from './use-webhooks';

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
