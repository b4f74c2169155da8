import { CopyButton } from '../../controls/copy-button';
import { SecretDialog } from '../../controls/secret-dialog';
import { clock } from '../../time/clock';
import styles from './keys.module.css';
import { INTO_ENVIRONMENT, SNIPPET_CREDITS, snippetsFor } from './snippets';
import type { NewKey } from './use-keys';

/** A new key, once, with the first calls that it may do. */
export function NewKeyDialog({ made: { secret, record, ending }, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  const snippets = snippetsFor(location.origin, record);
  return (
    <SecretDialog title={`Your new key: ${record.name}`} noun="the key" secret={secret} masked={record.display} onClose={onClose}>
      {ending === undefined ? null : (
        <p>
          The old key, <code>{ending.display}</code>,{' '}
          {ending.expires_utc === null ? 'has no end.' : `works until ${clock(Date.parse(ending.expires_utc))}.`}
        </p>
      )}
      {snippets.length === 0 ? null : (
        <section aria-label="First calls" className={styles['snippets']}>
          <h3>First calls</h3>
          <p className={styles['soft']}>
            Put the key into the environment first: run this line, paste the key, press Enter. It stays out of the shell’s history.
          </p>
          <Code name="the line" code={INTO_ENVIRONMENT} />
          {snippets.map(({ name, code }) => (
            <div key={name}>
              <h4>
                {name}
                {name === 'CLI' ? (
                  <span className={styles['soft']}> webhook messages, forwarded to your server on this machine</span>
                ) : (
                  <span className={styles['soft']}> newest packet, {SNIPPET_CREDITS} credit</span>
                )}
              </h4>
              <Code name={name} code={code} />
            </div>
          ))}
        </section>
      )}
    </SecretDialog>
  );
}

function Code({ name, code }: { readonly name: string; readonly code: string }) {
  return (
    <div className={styles['code']}>
      <pre>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={`Copy ${name}`} />
    </div>
  );
}
