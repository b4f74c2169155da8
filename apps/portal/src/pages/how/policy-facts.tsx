import { counted, words } from '@market-state/packet-figures';
import sheet from '../../theme/sheet.module.css';
import type { Policy } from './how-queries';
import styles from './how.module.css';

/** The policy that labels packets: its digest, which every packet names, its versions and its files. */
export function PolicyFacts({ policy }: { readonly policy: Policy }) {
  return (
    <>
      <p>
        The whole policy is published: {counted(policy.file_total, 'file')}, digest <code>{policy.policy_digest}</code>. Each packet names
        the digest of the policy that labeled it.
      </p>
      <p className={sheet['soft']}>
        {policy.digest_rule} <a href="/api/public/market-state/demo/labeling-policy">Read the files as JSON</a>
      </p>
      <details>
        <summary>Versions</summary>
        <dl className={styles['versions']}>
          {Object.entries(policy.policy_versions).map(([name, version]) => (
            <div key={name}>
              <dt>{words(name)}</dt>
              <dd>
                <code>{version}</code>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}
