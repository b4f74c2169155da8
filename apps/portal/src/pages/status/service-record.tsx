import { counted, words } from '@market-state/packet-figures';
import type { Data } from '@market-state/client';
import { AnswerSection } from '../../status-components/answer-section';
import { Empty } from '../../status-components/placeholder';
import { marketsWords, sentenceWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { type LatencyDay, type Month, shareWords, stageWords, incompleteWords, lastedWords, openFirst } from './record';
import styles from './status.module.css';
import { useLatency, useSla, useIncidents } from './use-status';
import { Light } from '../../status-components/light';
import { clockBelow, zoned } from '../../time/clock';

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
        <Empty
          why={
            lacking === ''
              ? 'No incidents: all feeds sent data, no packet was late, no rows are missing and no read failed.'
              : 'No known incidents.'
          }
        />
      ) : (
        <table className={`${sheet['cards'] ?? ''} ${styles['incidents'] ?? ''}`}>
          <thead>
            <tr>
              <th scope="col">Incident</th>
              <th scope="col">State</th>
              <th scope="col">{zoned('From')}</th>
              <th scope="col">Duration</th>
              <th scope="col">Symbols</th>
              <th scope="col">What happened</th>
            </tr>
          </thead>
          <tbody>
            {openFirst(rows).map((incident) => (
              <tr key={incident.incident_id}>
                <th scope="row">{words(incident.kind)}</th>
                <td data-column="state">
                  <Light state={incident.closed_utc === null ? 'stale' : 'off'} word={incident.closed_utc === null ? 'open' : 'resolved'} />
                </td>
                <td data-column={zoned('from')}>{clockBelow(Date.parse(incident.opened_utc))}</td>
                <td data-column="duration">{lastedWords(incident, asOf)}</td>
                <td data-column="symbols">{incident.symbols.length === 0 ? 'all symbols' : marketsWords(incident.symbols)}</td>
                <td data-column="what happened" title={incident.gap_ids.join('\n')}>
                  {sentenceWords(incident.sentence)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {next === null ? null : <p className={styles['soft']}>Only the newest are shown; the API has earlier ones.</p>}
    </>
  );
}

export function ServiceRecord() {
  return (
    <>
      <section className={sheet['panel']}>
        <AnswerSection
          title="Availability by month"
          query={useSla()}
          checkedUtc={({ as_of_utc: at }) => at}
          show={(answer) => <Months answer={answer} />}
        />
      </section>
      <section className={sheet['panel']}>
        <AnswerSection
          title="Packet latency by day"
          query={useLatency()}
          checkedUtc={({ as_of_utc: at }) => at}
          show={({ rows }) => <LatencyDays days={rows.toReversed()} />}
        />
      </section>
    </>
  );
}

function Months({ answer: { rows, rule } }: { readonly answer: Data<'getSlaStatus'> }) {
  if (rows.length === 0)
    return <Empty why="Counting starts with the first packet that is on time, and its minute appears one minute later." />;
  return (
    <>
      <table className={sheet['cards']}>
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col">Packets on time</th>
            <th scope="col">Reads answered</th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map((month) => (
            <tr key={month.month}>
              <th scope="row">
                {month.month}
                {month.is_finished ? '' : ', so far'}
              </th>
              <td data-column="packets on time">
                {shareWords(month.windows?.share ?? null)} <span className={styles['soft']}>{windowsWords(month)}</span>
              </td>
              <td data-column="reads answered">
                {shareWords(month.reads?.share ?? null)} <span className={styles['soft']}>{readsWords(month)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>How this is counted</summary>
        <p className={styles['soft']}>{rule.windows}</p>
        <p className={styles['soft']}>{rule.reads}</p>
      </details>
    </>
  );
}

function windowsWords({ windows }: Month): string {
  if (windows === null) return '';
  const { in_time_total: inTime, due_total: due, without_figures_total: unknown } = windows;
  const of = `${inTime.toLocaleString('en-US')} of ${counted(due, 'window')}`;
  return unknown === 0 ? of : `${of}; ${unknown.toLocaleString('en-US')} unknown`;
}

function readsWords({ reads }: Month): string {
  if (reads === null) return '';
  const { answered_total: answered, failed_total: failed, minutes_without_figures: unknown } = reads;
  const of = `${answered.toLocaleString('en-US')} of ${counted(answered + failed, 'read')}`;
  return unknown === 0 ? of : `${of}; ${counted(unknown, 'minute')} without statistics`;
}

const STAGES = [
  ['closing_tick_to_packet', 'Closing tick to packet'],
  ['packet_to_gateway', 'Packet to gateway'],
  ['closing_tick_to_gateway', 'End to end'],
] as const;

function LatencyDays({ days }: { readonly days: readonly LatencyDay[] }) {
  if (days.length === 0) return <Empty why="No measurements yet; the first minute appears one minute after the first packet." />;
  return (
    <>
      <table className={sheet['cards']}>
        <thead>
          <tr>
            <th scope="col">Day, UTC</th>
            {STAGES.map(([stage, title]) => (
              <th scope="col" key={stage}>
                {title}
              </th>
            ))}
            <th scope="col">Packets</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.date}>
              <th scope="row">{day.date}</th>
              {STAGES.map(([stage, title]) => (
                <td key={stage} data-column={title.toLowerCase()}>
                  {stageWords(day[stage])}
                </td>
              ))}
              <td data-column="packets">
                {day.closing_tick_to_packet.packet_total.toLocaleString('en-US')}{' '}
                <span className={styles['soft']}>{unknownWords(day)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles['soft']}>Median and 99th percentile. Packets computed from history are excluded.</p>
    </>
  );
}

function unknownWords({ closing_tick_to_gateway: { minutes_without_figures: minutes } }: LatencyDay): string {
  return minutes === 0 ? '' : `${counted(minutes, 'minute')} without statistics`;
}
