import type { Data } from '@market-state/client';
import { words } from '@market-state/packet-figures';
import { AnswerSection } from '../../conditions/answer-section';
import { Empty } from '../../conditions/empty';
import { Light } from '../../conditions/light';
import sheet from '../../theme/sheet.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { incompleteWords, lastedWords, openFirst } from './record';
import styles from './status.module.css';
import { useIncidents } from './use-status';

/** What went wrong in the last 30 days: what lasts first. */
export function Incidents() {
  return (
    <section className={sheet['panel']}>
      <AnswerSection
        title="Incidents of the last 30 days"
        query={useIncidents()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={(answer) => <IncidentList answer={answer} />}
      />
    </section>
  );
}

function IncidentList({ answer }: { readonly answer: Data<'listIncidents'> }) {
  const { rows, incomplete, next_cursor: next, as_of_utc: asOf } = answer;
  const lacking = incompleteWords(incomplete);
  return (
    <>
      {lacking === '' ? null : <p className={styles['fault']}>{lacking}</p>}
      {rows.length === 0 ? (
        <Empty why={lacking === '' ? 'No feed was silent, no packet late, no rows missing, no read failed.' : 'None that is known.'} />
      ) : (
        <table className={`${sheet['cards'] ?? ''} ${styles['incidents'] ?? ''}`}>
          <thead>
            <tr>
              <th scope="col">Incident</th>
              <th scope="col">State</th>
              <th scope="col">{zoned('From')}</th>
              <th scope="col">Lasted</th>
              <th scope="col">Symbols</th>
              <th scope="col">What happened</th>
            </tr>
          </thead>
          <tbody>
            {openFirst(rows).map((incident) => (
              <tr key={incident.incident_id}>
                <th scope="row">{words(incident.kind)}</th>
                <td data-column="state">
                  <Light state={incident.closed_utc === null ? 'stale' : 'off'} word={incident.closed_utc === null ? 'open' : 'over'} />
                </td>
                <td data-column={zoned('from')}>{clockBelow(Date.parse(incident.opened_utc))}</td>
                <td data-column="lasted">{lastedWords(incident, asOf)}</td>
                <td data-column="symbols">{incident.symbols.length === 0 ? 'every symbol' : incident.symbols.join(', ')}</td>
                <td data-column="what happened" title={incident.gap_ids.join('\n')}>
                  {incident.sentence}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {next === null ? null : <p className={styles['soft']}>These are the newest; the API has the earlier ones.</p>}
    </>
  );
}
