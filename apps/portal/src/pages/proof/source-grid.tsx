import { duration, percent, words } from '@market-state/packet-figures';
import sheet from '../../theme/sheet.module.css';
import type { SourceQuality } from './proof-page-queries';
import styles from './proof.module.css';

type Channel = SourceQuality['symbols'][number]['channels'][number];

/** How much of the last day each channel covers, with what is missing hatched at its true share. */
export function SourceGrid({ quality }: { readonly quality: SourceQuality }) {
  return (
    <table className={`${sheet['cards'] ?? ''} ${styles['sources'] ?? ''}`}>
      <thead>
        <tr>
          <th scope="col">Symbol</th>
          {CHANNELS.map((channel) => (
            <th scope="col" key={channel}>
              {words(channel)}
            </th>
          ))}
          <th scope="col">Newest packet</th>
        </tr>
      </thead>
      <tbody>
        {quality.symbols.map(({ symbol, venue, source_kind: kind, channels, newest_packet: packet }) => (
          <tr key={symbol}>
            <th scope="row">
              {symbol}
              <span className={styles['soft']}>
                {venue}, {words(kind)}
              </span>
            </th>
            {CHANNELS.map((name) => (
              <td key={name} data-column={words(name)}>
                <Coverage channel={channels.find(({ channel }) => channel === name)} />
              </td>
            ))}
            <td data-column="newest packet">
              {packet === null ? 'none yet' : `quality ${packet.quality_score ?? 'not reported'}, ${words(packet.quality_class)}`}
              <span className={styles['soft']}>{packet?.gap_flags.map(words).join(', ')}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

function Coverage({ channel }: { readonly channel: Channel | undefined }) {
  if (channel === undefined || !channel.reported || channel.covered_share === null)
    return <span className={styles['soft']}>not reported{absenceWords(channel?.absence ?? null)}</span>;
  const { covered_share: share, observed_seconds: seconds, gap_total: gaps, open_gap_total: open, seam_total: seams } = channel;
  return (
    <>
      <span className={styles['coverage']}>
        <span>{percent(share)}</span>
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect width={100 * share} height="8" />
        </svg>
      </span>
      <span className={styles['soft']}>
        of {seconds === null ? 'the time' : duration(SECOND_MS * seconds)}; {gaps ?? 0} gaps{open ? `, ${open} open` : ''}
        {seams ? `, ${seams} seams` : ''}
      </span>
    </>
  );
}

const absenceWords = (absence: string | null): string => (absence === null ? '' : `: ${words(absence)}`);
const SECOND_MS = 1_000;
