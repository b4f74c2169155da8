import { snippetsOf, variable } from '@market-state/call-snippets';
import { useState } from 'react';
import { CopyButton } from '../../controls/copy-button';
import sheet from '../../theme/sheet.module.css';
import styles from './console.module.css';
import type { Filled } from './field-values';
import type { CallOperation } from './operations';

/** The same call as a program would make it, with a key from the environment. */
export function SnippetsView({ operation, filled }: { readonly operation: CallOperation; readonly filled: Filled }) {
  const { method, path, sdk, needsCredential, fields } = operation;
  const [chosen, setChosen] = useState('curl');
  const missing = (place: 'path' | 'body') =>
    fields
      .filter((field) => field.in === place && field.required === true)
      .map(({ name }) => [name, variable(name.toUpperCase())] as const);
  const snippets = snippetsOf(
    {
      method,
      route: path,
      sdkName: sdk,
      takesKey: needsCredential,
      places: { ...Object.fromEntries(missing('path')), ...filled.places },
      query: filled.query,
      ...(fields.some((field) => field.in === 'body') ? { body: { ...Object.fromEntries(missing('body')), ...filled.body } } : {}),
    },
    location.origin,
  );
  const shown = snippets.find(({ name }) => name === chosen) ?? snippets[0];
  return (
    <section className={sheet['panel']} aria-label="The same call from a program">
      <h2>The same call from a program</h2>
      <p className={`${sheet['actions']} ${styles['languages']}`}>
        {snippets.map(({ name }) => (
          <button key={name} type="button" aria-pressed={name === shown?.name} onClick={() => setChosen(name)}>
            {name}
          </button>
        ))}
      </p>
      {shown === undefined ? null : (
        <>
          <pre className={styles['code']} tabIndex={0} role="region" aria-label={`The call: ${shown.name}`}>
            <code>{shown.code}</code>
          </pre>
          <p className={sheet['actions']}>
            <CopyButton text={shown.code} label={`Copy ${shown.name}`} />
            <span className={sheet['soft']}>{needsCredential ? 'The key is read from MARKET_STATE_API_KEY.' : 'No key is needed.'}</span>
          </p>
        </>
      )}
    </section>
  );
}
