import type { Schemas } from '@market-state/client';
import { StateMark } from '../../figures/state-mark';
import { WideTable } from '../../figures/wide-table';
import { clock } from '../../time/clock';
import styles from './packet.module.css';

type Share = Schemas['ShareRecord'];

interface ShareListProps {
  readonly shares: readonly Share[];
  readonly isBusy: boolean;
  readonly onRevoke: (shareId: string) => void;
}

/** Shares of the tenant, newest first; those that are shown can be ended. */
export function ShareList({ shares, isBusy, onRevoke }: ShareListProps) {
  if (shares.length === 0) return <p className={styles['soft']}>None yet.</p>;
  return (
    <WideTable label="Shares">
      <thead>
        <tr>
          <th scope="col">Packet</th>
          <th scope="col">Shown</th>
          <th scope="col">End it</th>
        </tr>
      </thead>
      <tbody>
        {shares.map((share) => (
          <tr key={share.share_id}>
            <th scope="row">
              <StateMark state={share.state} /> <a href={share.routes.page}>{share.symbol}</a> {clock(Date.parse(share.window_end_utc))}
            </th>
            <td>{shownWords(share)}</td>
            <td>
              {share.share_state === 'active' ? (
                <button type="button" disabled={isBusy} onClick={() => onRevoke(share.share_id)}>
                  Revoke
                </button>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

function shownWords({ share_state: state, expires_at_utc: expires, revoked_at_utc: revoked }: Share): string {
  switch (state) {
    case 'active':
      return `until ${clock(Date.parse(expires))}`;
    case 'expired':
      return `expired ${clock(Date.parse(expires))}`;
    case 'revoked':
      return `revoked ${clock(Date.parse(revoked ?? expires))}`;
    default:
      return 'withheld by this installation';
  }
}
