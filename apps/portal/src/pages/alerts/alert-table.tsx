import records from '../../controls/records.module.css';
import { zoned } from '../../time/clock';
import { NowhereMark } from './alert-destination';
import { ListActs } from './list-acts';
import { ListSection } from './list-section';
import { LastChanges, SavedRule, Standings } from './standings';
import { type AlertRecord, costWords, useUpdateAlert } from './use-alerts';

interface AlertTableProps {
  readonly alerts: readonly AlertRecord[];
  readonly openId: string;
  readonly onEdit: (alert: AlertRecord) => void;
  readonly onDelete: (alert: AlertRecord) => void;
}

/** A row an alert: what it looks at, and where it stands. */
export function AlertTable({ alerts, openId, onEdit, onDelete }: AlertTableProps) {
  const { mutate, isPending, error } = useUpdateAlert();
  return (
    <ListSection
      title="Alerts"
      note="one rule on one symbol"
      muting={costWords('updateAlert', { alert_id: '' })}
      error={error}
      heads={['Wakes when', 'Now', zoned('Last changes')]}
    >
      {alerts.map((alert) => (
        <tr key={alert.alert_id} data-off={alert.muted} aria-current={alert.alert_id === openId}>
          <th scope="row">
            {alert.name} {alert.muted ? <span className={records['mark']}>muted</span> : <NowhereMark symbols={[alert.symbol]} />}
          </th>
          <td data-column="Wakes when">
            <SavedRule rule={alert.rule} />
          </td>
          <td data-column="Now">
            <Standings rule={alert.rule} />
          </td>
          <td data-column={zoned('Last changes')}>
            <LastChanges rule={alert.rule} />
          </td>
          <td className={records['acts']}>
            <ListActs
              name={alert.name}
              muted={alert.muted}
              isPending={isPending}
              onEdit={() => onEdit(alert)}
              onMute={(muted) => mutate({ alert_id: alert.alert_id, muted })}
              onDelete={() => onDelete(alert)}
            />
          </td>
        </tr>
      ))}
    </ListSection>
  );
}
