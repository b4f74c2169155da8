import { counted, words } from '@market-state/packet-figures';
import { WideTable } from '../../figures/wide-table';
import { clockBelow, zoned } from '../../time/clock';
import { rowsId } from './links';
import type { Evidence } from './packet-queries';
import styles from './packet.module.css';
import { rowWords } from './row-words';

/** The rows behind the packet: those of its window, as they were recorded. */
export function SourceRows({ channels }: { readonly channels: Evidence['source_rows'] }) {
  return (
    <section aria-label="Rows" className={styles['full']}>
      <h2>Rows behind it</h2>
      {channels.map((channel) => (
        <details key={channel.channel} id={rowsId(channel.channel)} open>
          <summary>
            {words(channel.channel)}{' '}
            <span className={styles['soft']}>
              {channel.reported && channel.applied_in_window_total !== null
                ? `${counted(channel.applied_in_window_total, 'row')} in the window, ${words(channel.selection)}`
                : 'not reported by this source'}
            </span>
          </summary>
          {channel.rows === null || channel.rows.length === 0 ? null : (
            <WideTable label={`Rows of ${words(channel.channel)}`}>
              <thead>
                <tr>
                  <th scope="col" className={styles['number']}>
                    Sequence
                  </th>
                  <th scope="col">{zoned('Exchange time')}</th>
                  <th scope="col">{zoned('Received')}</th>
                  <th scope="col">Row</th>
                  <th scope="col">Flags</th>
                </tr>
              </thead>
              <tbody>
                {channel.rows.map((row) => (
                  <tr key={row.sequence}>
                    <td className={styles['number']}>{row.sequence}</td>
                    <td>{millis(row.exchange_time_utc)}</td>
                    <td>{millis(row.received_time_utc)}</td>
                    <td>{'row' in row ? rowWords({ ...row.row }) : ''}</td>
                    <td className={styles['soft']}>{row.flags.map(words).join(', ')}</td>
                  </tr>
                ))}
              </tbody>
            </WideTable>
          )}
        </details>
      ))}
    </section>
  );
}

/** `23:54:20.125` */
function millis(time: string): string {
  return clockBelow(Date.parse(time), 'timeMilli');
}
