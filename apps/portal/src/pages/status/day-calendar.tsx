import { lowerFirst, Table } from '../../controls/table';
import { counted, words, quantity } from '@market-state/packet-figures';
import { AnswerSection, Empty } from '../../status-components/conditions';
import { marketWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { channelSentence, type Day, dayTitle, daysByChannel, isReported, observedWords } from './status-facts';
import styles from './status.module.css';
import { useCondition, type Catalog } from './use-status';
import { clockBelow, zoned } from '../../time/clock';
import { Choice } from '../../controls/choice';
import { urlText, useUrlState } from '../../service/url-state';

export function StoredRows({ catalog: { symbols, storage } }: { readonly catalog: Catalog }) {
  const rows = symbols.flatMap(({ symbol, channels }) => channels.filter(({ reported }) => reported).map((each) => ({ symbol, ...each })));
  return (
    <details>
      <summary>Stored data: {counted(rows.length, 'channel')} with rows</summary>
      <p className={sheet['soft']}>{storageWords(storage)}</p>
      <Table
        scroll="Stored data"
        rows={rows}
        keyOf={({ symbol, channel }) => `${symbol} ${channel}`}
        columns={[
          { head: 'Symbol', cell: ({ symbol }) => marketWords(symbol) },
          { head: 'Channel', cell: ({ channel }) => words(channel) },
          { head: zoned('Since'), cell: ({ first_time_utc: first }) => (first === null ? 'none yet' : clockBelow(first)) },
          { head: 'Rows', cell: ({ row_total: total }) => wholeWords(total), className: sheet['number'] },
          { head: 'Archived hours', cell: ({ archive_hour_total: hours }) => wholeWords(hours), className: sheet['number'] },
          {
            head: 'Bytes per day',
            cell: ({ bytes_a_day: bytes }) => (bytes === null ? 'not reported' : quantity(bytes)),
            className: sheet['number'],
          },
        ]}
      />
    </details>
  );
}

const wholeWords = (total: number | null): string => total?.toLocaleString('en-US') ?? 'not reported';

const GIGABYTE = 1e9;

function storageWords(storage: Catalog['storage']): string {
  const { hot_days: hot, archive_days: archived, disk_free_bytes: free, days_left: left } = storage;
  return [
    `Rows stay in the database for ${counted(hot, 'day')} and in the archive for ${archived}.`,
    free === null ? '' : `${(free / GIGABYTE).toFixed(1)} GB of disk space free.`,
    left === null ? '' : `At the current rate it lasts ${counted(Math.floor(left), 'day')}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

export function DayCalendar({ symbols }: { readonly symbols: readonly string[] }) {
  const [requested, setSymbol] = useUrlState('days', { ...urlText, usual: symbols[0] ?? '' });
  const symbol = symbols.includes(requested) ? requested : (symbols[0] ?? '');
  const condition = useCondition(symbol);
  return (
    <section className={`${sheet['panel'] ?? ''} ${styles['calendar'] ?? ''}`} aria-label="Days">
      <Choice className={styles['choice']} label="Symbol" value={symbol} options={symbols} say={marketWords} onChoose={setSymbol} />
      <AnswerSection
        title="Days, in UTC"
        query={condition}
        checkedUtc={({ as_of_utc: at }) => at}
        show={({ rows }) => (rows.length === 0 ? <Empty why="Nothing has been recorded for this symbol yet." /> : <Calendar days={rows} />)}
      />
    </section>
  );
}

function Calendar({ days }: { readonly days: readonly Day[] }) {
  return (
    <>
      <ul className={styles['days']}>
        {daysByChannel(days).map(([channel, ofChannel]) => (
          <li key={channel}>
            <p>
              <b>{words(channel)}</b> <span className={styles['soft']}>{channelSentence(ofChannel)}</span>
            </p>
            {isReported(ofChannel) ? <Boxes channel={channel} days={ofChannel} /> : null}
          </li>
        ))}
      </ul>
      <details>
        <summary>Days as a table</summary>
        <DayTable days={days.toSorted((one, other) => other.date.localeCompare(one.date))} />
      </details>
    </>
  );
}

/** Maximum number of days in a response; fewer are right-aligned, so that today is last. */
const DAYS_MAX = 31;
const [WIDTH, HEIGHT, PITCH] = [10, 22, 12];

function Boxes({ channel, days }: { readonly channel: string; readonly days: readonly Day[] }) {
  const first = DAYS_MAX - days.length;
  const unrecorded = Array.from({ length: first }, (_none, index) => index);
  return (
    <>
      <svg viewBox={`0 0 ${DAYS_MAX * PITCH} ${HEIGHT + 2}`} role="img" aria-label={`${words(channel)}: ${channelSentence(days)}`}>
        {unrecorded.map((index) => (
          <path key={index} className={styles['box']} d={`M${index * PITCH + 1} ${HEIGHT + 1}h${WIDTH}`} />
        ))}
        {days.map((day, index) => {
          // Even a small gap stays visible.
          const filled = day.completeness === 1 ? HEIGHT : Math.min(HEIGHT - 4, Math.floor(HEIGHT * day.completeness));
          return (
            <g key={day.date} transform={`translate(${(first + index) * PITCH + 1} 1)`} data-condition={day.condition}>
              <title>{dayTitle(day)}</title>
              <rect className={styles['box']} width={WIDTH} height={HEIGHT} />
              {filled === HEIGHT ? null : <path className={styles['lost']} d={hatchOf(HEIGHT - filled)} />}
              <rect className={styles['observed']} y={HEIGHT - filled} width={WIDTH} height={filled} />
            </g>
          );
        })}
      </svg>
      <p className={styles['ends']}>
        <span>{first === 0 ? days[0]?.date : `recorded since ${days[0]?.date ?? ''}`}</span>
        <span>{days.at(-1)?.date}</span>
      </p>
    </>
  );
}

function hatchOf(height: number): string {
  const lines = [];
  for (let y = 3; y <= height + WIDTH; y += 4) {
    const [left, right] = [Math.min(y, height), Math.max(0, y - WIDTH)];
    if (right <= height) lines.push(`M${y - left} ${left}L${y - right} ${right}`);
  }
  return lines.join('');
}

function DayTable({ days }: { readonly days: readonly Day[] }) {
  return (
    <Table
      className={sheet['cards']}
      cardHead={lowerFirst}
      rows={days}
      keyOf={(day) => `${day.date} ${day.channel}`}
      columns={[
        { head: 'Day, UTC', cell: (day) => day.date },
        { head: 'Channel', cell: (day) => words(day.channel) },
        { head: 'Condition', cell: (day) => day.condition },
        { head: 'Observed', cell: (day) => observedWords(day) },
        { head: 'Reason', cell: (day) => day.reasons.map(words).join(', ') },
        { head: 'Rows', cell: (day) => day.row_total?.toLocaleString('en-US') ?? 'unknown', className: sheet['number'] },
        {
          head: 'Gaps',
          cell: (day) => (day.gap_total === 0 ? 'none' : counted(day.gap_total, 'gap')),
          cellProps: (day) => ({ title: day.gap_ids.join('\n') }),
        },
        {
          head: zoned('Unchanged since'),
          cell: (day) => (day.last_modified_utc === null ? 'unknown' : clockBelow(day.last_modified_utc)),
        },
      ]}
    />
  );
}
