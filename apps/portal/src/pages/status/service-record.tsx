import { whole } from '../../market/numbers';
import { lowerFirst, Table } from '../../controls/table';
import { counted, words } from '@market-state/packet-figures';
import type { Data } from '@market-state/client';
import { AnswerSection, Empty, Light } from '../../status-components/conditions';
import { marketsWords, sentenceWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { type LatencyDay, type Month, shareWords, stageWords, incompleteWords, lastedWords, openFirst } from './status-facts';
import styles from './status.module.css';
import { useLatency, useSla, useIncidents } from './use-status';
import { clockBelow, zoned } from '../../time/clock';

export function Incidents() {
  return (
    <AnswerSection
      box={sheet['panel']}
      title="Incidents of the last 30 days"
      query={useIncidents()}
      checkedUtc={({ as_of_utc: at }) => at}
      show={(answer) => <IncidentList answer={answer} />}
    />
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
        <Table
          className={`${sheet['cards'] ?? ''} ${styles['incidents'] ?? ''}`}
          cardHead={lowerFirst}
          rows={openFirst(rows)}
          keyOf={(incident) => incident.incident_id}
          columns={[
            { head: 'Incident', cell: (incident) => words(incident.kind) },
            {
              head: 'State',
              cell: (incident) => (
                <Light state={incident.closed_utc === null ? 'stale' : 'off'} word={incident.closed_utc === null ? 'open' : 'resolved'} />
              ),
            },
            { head: zoned('From'), cell: (incident) => clockBelow(incident.opened_utc) },
            { head: 'Duration', cell: (incident) => lastedWords(incident, asOf) },
            { head: 'Symbols', cell: (incident) => (incident.symbols.length === 0 ? 'all symbols' : marketsWords(incident.symbols)) },
            {
              head: 'What happened',
              cell: (incident) => sentenceWords(incident.sentence),
              cellProps: (incident) => ({ title: incident.gap_ids.join('\n') }),
            },
          ]}
        />
      )}
      {next === null ? null : <p className={styles['soft']}>Only the newest are shown; the API has earlier ones.</p>}
    </>
  );
}

export function ServiceRecord() {
  return (
    <>
      <AnswerSection
        box={sheet['panel']}
        title="Availability by month"
        query={useSla()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={(answer) => <Months answer={answer} />}
      />
      <AnswerSection
        box={sheet['panel']}
        title="Packet latency by day"
        query={useLatency()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={({ rows }) => <LatencyDays days={rows.toReversed()} />}
      />
    </>
  );
}

function Months({ answer: { rows, rule } }: { readonly answer: Data<'getSlaStatus'> }) {
  if (rows.length === 0)
    return <Empty why="Counting starts with the first packet that is on time, and its minute appears one minute later." />;
  return (
    <>
      <Table
        className={sheet['cards']}
        cardHead={lowerFirst}
        rows={rows.toReversed()}
        keyOf={(month) => month.month}
        columns={[
          {
            head: 'Month',
            cell: (month) => (
              <>
                {month.month}
                {month.is_finished ? '' : ', so far'}
              </>
            ),
          },
          {
            head: 'Packets on time',
            cell: (month) => (
              <>
                {shareWords(month.windows?.share ?? null)} <span className={styles['soft']}>{windowsWords(month)}</span>
              </>
            ),
          },
          {
            head: 'Reads answered',
            cell: (month) => (
              <>
                {shareWords(month.reads?.share ?? null)} <span className={styles['soft']}>{readsWords(month)}</span>
              </>
            ),
          },
        ]}
      />
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
  const of = `${whole(inTime)} of ${counted(due, 'window')}`;
  return unknown === 0 ? of : `${of}; ${whole(unknown)} unknown`;
}

function readsWords({ reads }: Month): string {
  if (reads === null) return '';
  const { answered_total: answered, failed_total: failed, minutes_without_figures: unknown } = reads;
  const of = `${whole(answered)} of ${counted(answered + failed, 'read')}`;
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
      <Table
        className={sheet['cards']}
        cardHead={lowerFirst}
        rows={days}
        keyOf={({ date }) => date}
        columns={[
          { head: 'Day, UTC', cell: ({ date }) => date },
          ...STAGES.map(([stage, head]) => ({ head, cell: (day: LatencyDay) => stageWords(day[stage]) })),
          {
            head: 'Packets',
            cell: (day) => (
              <>
                {whole(day.closing_tick_to_packet.packet_total)} <span className={styles['soft']}>{unknownWords(day)}</span>
              </>
            ),
          },
        ]}
      />
      <p className={styles['soft']}>Median and 99th percentile. Packets computed from history are excluded.</p>
    </>
  );
}

function unknownWords({ closing_tick_to_gateway: { minutes_without_figures: minutes } }: LatencyDay): string {
  return minutes === 0 ? '' : `${counted(minutes, 'minute')} without statistics`;
}
