import { words } from '@market-state/packet-figures';
import { Light } from '../../conditions/light';
import type { Release } from '../../proofs/proof-queries';
import { clock } from '../../time/clock';
import styles from './status.module.css';

const MATCHES: Readonly<Record<string, string>> = { current: 'matches', drifted: 'does not match', not_checked: 'not checked' };

/** Whether what runs is what was built: fingerprints, parts and routes, side by side. */
export function ReleaseMatch({ release }: { readonly release: Release }) {
  const {
    public_release_fingerprint: running,
    public_expected_release_fingerprint: recorded,
    version_match_state: match,
    part_total: parts,
    differing_parts: differing,
    runtime_openapi_path_total: served,
    openapi_public_path_total: described,
    build_time_utc: built,
  } = release;
  return (
    <>
      <p>
        <Light state={match === 'current' ? 'fresh' : 'stale'} word={MATCHES[match] ?? words(match)} />
      </p>
      <p className={styles['soft']}>{release.meta.response_semantics.status_text}</p>
      <table className={styles['release']}>
        <thead>
          <tr>
            <td />
            <th scope="col">Runs</th>
            <th scope="col">Was built</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Fingerprint</th>
            <td>
              <code>{running?.slice(0, 16) ?? 'not recorded'}</code>
            </td>
            <td>
              <code>{recorded?.slice(0, 16) ?? 'not recorded'}</code>
            </td>
          </tr>
          <tr>
            <th scope="row">Parts that match</th>
            <td>{(parts - differing.length).toLocaleString('en-US')}</td>
            <td>{parts.toLocaleString('en-US')}</td>
          </tr>
          <tr>
            <th scope="row">Paths</th>
            <td>{served} served</td>
            <td>{described} described</td>
          </tr>
        </tbody>
      </table>
      {differing.length === 0 ? null : <p className={styles['fault']}>These differ: {differing.map(({ part }) => part).join(', ')}.</p>}
      <p className={styles['soft']}>{built === null ? 'The time of the build is not recorded.' : `Built ${clock(Date.parse(built))}.`}</p>
    </>
  );
}
