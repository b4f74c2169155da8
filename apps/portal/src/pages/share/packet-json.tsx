import { CopyButton } from '../../controls/copy-button';
import sheet from '../../theme/sheet.module.css';
import type { SharedPacket } from './shared-packet';
import styles from './share.module.css';

/** The packet with what proves it, as text to keep: it can be checked without this address. */
export function PacketJson({ shared: { packet, proof } }: { readonly shared: SharedPacket }) {
  const { signature, ...line } = proof;
  const kept = JSON.stringify({
    packet,
    ...line,
    signature: signature?.signature ?? null,
    signing_key_id: signature?.signing_key_id ?? null,
  });
  return (
    <details>
      <summary>The whole packet as JSON, {kept.length.toLocaleString('en-US')} characters</summary>
      <p className={sheet['actions']}>
        <CopyButton text={kept} label="Copy it" />
        <span className={sheet['soft']}>
          Keep it, and <a href="/verify">/verify</a> checks it on any day.
        </span>
      </p>
      <pre className={styles['json']} tabIndex={0}>
        {JSON.stringify(packet, null, 1)}
      </pre>
    </details>
  );
}
