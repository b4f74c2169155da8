import { ProblemNotice } from '../../conditions/problem-notice';
import records from '../../controls/records.module.css';
import sheet from '../../theme/sheet.module.css';
import { zoned } from '../../time/clock';
import { ListActs } from './list-acts';
import { LastChanges, SavedRule, Standings } from './standings';
import { type AlertRecord, costWords, useUpdateAlert } from './use-alerts';

interface AlertTableProps {
  readonly alerts: readonly AlertRecord[];
  readonly openId: string;
  readonly onEdit: (alert: AlertRecord) => void;
  readonly onDelete: (alert: AlertRecord) => void;
}

/** A row an alert: what it looks at, and where it stands. At phone width each row becomes a card. */
export function AlertTable({ alerts, openId, onEdit, onDelete }: AlertTableProps) {
  const { mutate, isPending, error } = useUpdateAlert();
  return (
    <section aria-label="Alerts">
      <div className={sheet['bar']}>
        <h2>
          Alerts <span className={sheet['soft']}>one rule on one symbol</span>
        </h2>
        <span className={sheet['push']} />
        <span className={sheet['soft']}>muting {costWords('updateAlert', { alert_id: '' })}</span>
      </div>
      {error === null ? null : <ProblemNotice error={error} />}
      <table className={records['table']}>
        <caption className="visually-hidden">Alerts, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Wakes when</th>
            <th scope="col">Now</th>
            <th scope="col">{zoned('Last changes')}</th>
            <th scope="col">
              <span className="visually-hidden">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <tr key={alert.alert_id} data-off={alert.muted} aria-current={alert.alert_id === openId}>
              <th scope="row">
                {alert.name} {alert.muted ? <span className={records['mark']}>muted</span> : null}
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
        </tbody>
      </table>
    </section>
  );
}
