import { counted } from '@market-state/packet-figures';
import { WideTable } from '../../figures/wide-table';
import sheet from '../../theme/sheet.module.css';
import { clock } from '../../time/clock';
import type { Build } from './proof-page-queries';
import styles from './proof.module.css';

/** What runs here: from which sources it was built, and the digest of each part. */
export function BuildFacts({ build }: { readonly build: Build }) {
  const {
    source_revision: revision,
    source_modified: isModified,
    source_digest: digest,
    release_fingerprint: fingerprint,
    policy_digest: policy,
    parts,
  } = build;
  const facts = [
    ['built', build.build_time_utc === null ? null : clock(Date.parse(build.build_time_utc))],
    ['revision of the sources', revision === null ? null : `${revision}${isModified === true ? ', with changes' : ''}`],
    ['digest of the sources', digest],
    ['release fingerprint', fingerprint],
    ['policy digest', policy],
  ] as const;
  return (
    <>
      <dl className={styles['digests']}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null ? 'not recorded' : <code>{value}</code>}</dd>
          </div>
        ))}
      </dl>
      {parts === null ? null : <Parts parts={parts} />}
    </>
  );
}

function Parts({ parts }: { readonly parts: NonNullable<Build['parts']> }) {
  return (
    <details>
      <summary>{counted(parts.length, 'part')}, each with its SHA-256</summary>
      <WideTable label="Parts of the build">
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" className={sheet['number']}>
              Bytes
            </th>
            <th scope="col">SHA-256</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ part, sha256, bytes }) => (
            <tr key={part}>
              <th scope="row">{part}</th>
              <td className={sheet['number']}>{bytes?.toLocaleString('en-US') ?? 'not recorded'}</td>
              <td>
                <code>{sha256}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </details>
  );
}
