import { useState } from 'react';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { hasNotifications, turnBrowserAlerts, useBrowserAlerts, WAIT_SECONDS } from './browser-alerts';
import { costWords } from './use-alerts';

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
    <p className={sheet['actions']}>
      <label className={styles['choice']}>
        <input
          type="checkbox"
          checked={on && permission === 'granted'}
          disabled={permission === 'denied'}
          onChange={({ target }) => void change(target.checked)}
        />
        Notify me in this browser while a page of the portal is open
      </label>
      <span className={sheet['soft']}>
        {permission === 'denied'
          ? 'Notifications are blocked: allow them for this site in the settings of the browser.'
          : `one call every ${WAIT_SECONDS} s, each ${costWords('listWebhookEvents', {})}`}
      </span>
    </p>
  );
}
