import { counted, quantity, words } from '@market-state/packet-figures';
import { WideTable } from '../../figures/wide-table';
import sheet from '../../theme/sheet.module.css';
import { clockBelow, zoned } from '../../time/clock';
import type { Catalog } from './use-status';

/** What is kept of each channel: since when, how much, and how long the disk lasts. */
export function KeptRows({ catalog: { symbols, storage } }: { readonly catalog: Catalog }) {
  const rows = symbols.flatMap(({ symbol, channels }) => channels.filter(({ reported }) => reported).map((each) => ({ symbol, ...each })));
  return (
    <details>
      <summary>What is kept: {counted(rows.length, 'channel')} with rows</summary>
      <p className={sheet['soft']}>{storageWords(storage)}</p>
      <WideTable label="What is kept">
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
              Bytes a day
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ symbol, channel, first_time_utc: first, row_total: total, archive_hour_total: hours, bytes_a_day: bytes }) => (
            <tr key={`${symbol} ${channel}`}>
              <th scope="row">{symbol}</th>
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
    free === null ? '' : `${(free / GIGABYTE).toFixed(1)} GB of disk are free.`,
    left === null ? '' : `At the present rate they last ${counted(Math.floor(left), 'day')}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
