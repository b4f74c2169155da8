import { counted, words, quantity } from '@market-state/packet-figures';
import { AnswerSection } from '../../status-components/answer-section';
import { Empty } from '../../status-components/placeholder';
import { urlText, useUrlState } from '../../service/url-state';
import { marketWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { channelSentence, type Day, dayTitle, daysByChannel, isReported, observedWords } from './record';
import styles from './status.module.css';
import { useCondition, type Catalog } from './use-status';
import { WideTable } from '../../charts/wide-table';

export function StoredRows({ catalog: { symbols, storage } }: { readonly catalog: Catalog }) {
  const rows = symbols.flatMap(({ symbol, channels }) => channels.filter(({ reported }) => reported).map((each) => ({ symbol, ...each })));
  return (
    <details>
      <summary>Stored data: {counted(rows.length, 'channel')} with rows</summary>
      <p className={sheet['soft']}>{storageWords(storage)}</p>
      <WideTable label="Stored data">
        <thead>
          <tr>
            <th scope="col">Symbol</th>
            <th scope="col">Channel</th>
            <th scope="col">{zoned('Since')}</th>
            <th scope="col" className={sheet['number']}>
              Rows
            </th>
            <th scope="col" className={sheet['number']}>
              Archived hours
            </th>
            <th scope="col" className={sheet['number']}>
              Bytes per day
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ symbol, channel, first_time_utc: first, row_total: total, archive_hour_total: hours, bytes_a_day: bytes }) => (
            <tr key={`${symbol} ${channel}`}>
              <th scope="row">{marketWords(symbol)}</th>
              <td>{words(channel)}</td>
              <td>{first === null ? 'none yet' : clockBelow(Date.parse(first))}</td>
              <td className={sheet['number']}>{wholeWords(total)}</td>
              <td className={sheet['number']}>{wholeWords(hours)}</td>
              <td className={sheet['number']}>{bytes === null ? 'not reported' : quantity(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
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
  const [requested, setSymbol] = useUrlState('days', urlText(symbols[0] ?? ''));
  const symbol = symbols.includes(requested) ? requested : (symbols[0] ?? '');
  const condition = useCondition(symbol);
  return (
    <section className={`${sheet['panel'] ?? ''} ${styles['calendar'] ?? ''}`} aria-label="Days">
      <label className={styles['choice']}>
        Symbol
        <select value={symbol} onChange={({ target }) => setSymbol(target.value)}>
          {symbols.map((each) => (
            <option key={each} value={each}>
              {marketWords(each)}
            </option>
          ))}
        </select>
      </label>
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
    <table className={sheet['cards']}>
      <thead>
        <tr>
          <th scope="col">Day, UTC</th>
          <th scope="col">Channel</th>
          <th scope="col">Condition</th>
          <th scope="col">Observed</th>
          <th scope="col">Reason</th>
          <th scope="col" className={sheet['number']}>
            Rows
          </th>
          <th scope="col">Gaps</th>
          <th scope="col">{zoned('Unchanged since')}</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <tr key={`${day.date} ${day.channel}`}>
            <th scope="row">{day.date}</th>
            <td data-column="channel">{words(day.channel)}</td>
            <td data-column="condition">{day.condition}</td>
            <td data-column="observed">{observedWords(day)}</td>
            <td data-column="reason">{day.reasons.map(words).join(', ')}</td>
            <td data-column="rows" className={sheet['number']}>
              {day.row_total?.toLocaleString('en-US') ?? 'unknown'}
            </td>
            <td data-column="gaps" title={day.gap_ids.join('\n')}>
              {day.gap_total === 0 ? 'none' : counted(day.gap_total, 'gap')}
            </td>
            <td data-column={zoned('unchanged since')}>
              {day.last_modified_utc === null ? 'unknown' : clockBelow(Date.parse(day.last_modified_utc))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
