import { utc } from '@market-state/packet-figures';
import { useEffect, useState } from 'react';
import { CopyButton } from '../../controls/copy-button';
import { Modal } from '../../controls/modal';
import styles from './keys.module.css';
import { INTO_ENVIRONMENT, SNIPPET_CREDITS, snippetsFor } from './snippets';
import type { NewKey } from './use-keys';

/** The one place where a whole key stands. It goes with the dialog, and with the page when that is left. */
export function NewKeyDialog({ made: { secret, record, ending }, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  const [isShown, setIsShown] = useState(false);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    // A page that the browser keeps to come back to would keep the key too.
    addEventListener('pagehide', onClose);
    return () => removeEventListener('pagehide', onClose);
  }, [onClose]);
  const snippets = snippetsFor(location.origin, record);
  return (
    <Modal title={`Your new key: ${record.name}`} onClose={onClose} isHeld>
      <div className={styles['form']}>
        <p>It is shown this once. Put it where your program reads its secrets; nobody can show it to you again.</p>
        <p className={styles['secret']}>
          <code>{isShown ? secret : record.display}</code>
        </p>
        <p className={styles['actions']}>
          <CopyButton text={secret} label="Copy the key" onCopied={() => setIsCopied(true)} />
          <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
            {isShown ? 'Hide it' : 'Show it'}
          </button>
        </p>
        {ending === undefined ? null : (
          <p>
            The old key, <code>{ending.display}</code>,{' '}
            {ending.expires_utc === null ? 'has no end.' : `works until ${utc(Date.parse(ending.expires_utc))} UTC.`}
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
        <p className={styles['actions']}>
          <button type="button" className={styles['go']} onClick={onClose}>
            {isCopied || isShown ? 'I have stored it' : 'Close without storing it'}
          </button>
        </p>
      </div>
    </Modal>
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
