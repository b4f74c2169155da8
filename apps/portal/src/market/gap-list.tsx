import type { Schemas } from '@market-state/client';
import { duration, words } from '@market-state/packet-figures';
import { WideTable } from '../figures/wide-table';
import { clockBelow, zoned } from '../time/clock';
import styles from './market.module.css';
import { OpenPart } from './open-part';

/** What the gap ledger says of a span: what is missing, why, and how it ended. */
export function GapList({ gaps }: { readonly gaps: readonly Schemas['Gap'][] }) {
  const summary =
    gaps.length === 0 ? 'The gap ledger has no entry here' : `Gap ledger: ${gaps.length} ${gaps.length === 1 ? 'entry' : 'entries'}`;
  return (
    <OpenPart name="ledger" summary={summary}>
      {() =>
        gaps.length === 0 ? null : (
          <WideTable label="Gap ledger">
            <thead>
              <tr>
                <th scope="col">Channel</th>
                <th scope="col">Kind</th>
                <th scope="col">{zoned('From')}</th>
                <th scope="col" className={styles['number']}>
                  Lasted
                </th>
                <th scope="col">Reason</th>
                <th scope="col">Ended</th>
                <th scope="col">Gap id</th>
              </tr>
            </thead>
            <tbody>
              {gaps.map((gap) => (
                <tr key={gap.gap_id}>
                  <th scope="row">{words(gap.channel ?? 'all')}</th>
                  <td>{words(gap.kind)}</td>
                  <td>{clockBelow(Date.parse(gap.start_utc), 'time')}</td>
                  <td className={styles['number']}>
                    {gap.end_utc === null ? 'open' : duration(Date.parse(gap.end_utc) - Date.parse(gap.start_utc))}
                  </td>
                  <td>{words(gap.reason)}</td>
                  <td>{words(gap.resolution)}</td>
                  <td>
                    <code>{gap.gap_id}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </WideTable>
        )
      }
    </OpenPart>
  );
}
