import { counted } from '@market-state/packet-figures';
import sheet from '../../theme/sheet.module.css';
import type { ProofBrowser } from './proof-page-queries';
import styles from './proof.module.css';

const MEGABYTE = 1e6;

/** How much is archived and from what it came; what was not captured cannot be had. */
export function ArchiveDepth({ preview }: { readonly preview: ProofBrowser }) {
  const kinds = [
    ['captured live by this installation', preview.live_owned_archive_hour_total, 'live'],
    ['of a recording', preview.recorded_archive_hour_total, 'recorded'],
    ['of a simulated venue', preview.synthetic_archive_hour_total, 'simulated'],
  ] as const;
  const all = kinds.reduce((sum, [, hours]) => sum + hours, 0);
  return (
    <>
      <h3>Archived hours of rows, by where they came from</h3>
      {all === 0 ? (
        <p className={sheet['soft']}>None yet: an hour is archived once it is over.</p>
      ) : (
        <div className={styles['depth']} aria-hidden="true">
          {kinds.map(([name, hours, kind]) => (hours === 0 ? null : <i key={name} data-kind={kind} style={{ flexGrow: hours }} />))}
        </div>
      )}
      <dl className={styles['metrics']}>
        {kinds.map(([name, hours, kind]) => (
          <div key={name}>
            <dt>
              <i data-kind={kind} aria-hidden="true" /> {name}
            </dt>
            <dd>{counted(hours, 'hour')}</dd>
          </div>
        ))}
        <div>
          <dt>archived rows</dt>
          <dd>
            {preview.archive_row_total.toLocaleString('en-US')}, {(preview.archive_byte_total / MEGABYTE).toFixed(1)} MB
          </dd>
        </div>
        <div>
          <dt>rows kept in all</dt>
          <dd>{preview.stored_row_total.toLocaleString('en-US')}</dd>
        </div>
        <div>
          <dt>archived packets</dt>
          <dd>{preview.packet_archive_packet_total?.toLocaleString('en-US') ?? 'not reported'}</dd>
        </div>
        <div>
          <dt>rows stay in the database, then in the archive</dt>
          <dd>
            {preview.hot_day_total ?? 'not reported'}, then {preview.archive_day_total ?? 'not reported'} days
          </dd>
        </div>
      </dl>
    </>
  );
}
