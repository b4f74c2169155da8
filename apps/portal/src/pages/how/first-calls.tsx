import { CopyButton } from '../../controls/copy-button';
import sheet from '../../theme/sheet.module.css';
import type { Construction } from './how-queries';
import styles from './how.module.css';

interface Call {
  readonly purpose: string;
  readonly command: string;
  readonly requires_api_key: boolean;
}

/** The first calls for a terminal, in their order. */
export function FirstCalls({ step }: { readonly step: Construction['rows'][number] }) {
  const { calls = [] } = step.packet_view as { calls?: readonly Call[] };
  return (
    <ol className={styles['calls']}>
      {calls.map(({ purpose, command, requires_api_key: needsKey }) => (
        <li key={command}>
          <p>
            {purpose} <span className={sheet['soft']}>{needsKey ? 'needs the key' : 'needs no key'}</span>
          </p>
          <pre>
            <code>{command}</code>
          </pre>
          <CopyButton text={command} label="Copy" />
        </li>
      ))}
    </ol>
  );
}
