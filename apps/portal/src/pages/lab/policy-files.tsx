import { editNumbers, type NumberEdits, type PolicyNumbers } from '@market-state/labeler/policy-numbers';
import { CopyButton } from '../../controls/copy-button';
import { giveFile } from '../../controls/give-file';
import styles from './lab.module.css';

interface PolicyFilesProps {
  /** The published policy's files by name. */
  readonly policyFiles: object;
  readonly numbers: PolicyNumbers;
  readonly edits: NumberEdits;
  readonly hasFaults: boolean;
}

/** The policy of the page as files, to be used elsewhere, and the page's address. */
export function PolicyFiles({ policyFiles, numbers, edits, hasFaults }: PolicyFilesProps) {
  const edited = editNumbers(numbers, edits).numbers;
  const [whole, alone] = [{ ...policyFiles, numbers: edited }, edited].map((content) => `${JSON.stringify(content, null, 2)}\n`);
  return (
    <section className={styles['panel']} aria-label="Take it with you">
      <h2>Take it with you</h2>
      {hasFaults ? (
        <p className={styles['fault']}>Once the numbers are a policy, it can be saved here.</p>
      ) : (
        <p className={styles['actions']}>
          <SaveButton name="policy.json" text={whole ?? ''} />
          <SaveButton name="numbers.json" text={alone ?? ''} />
          <CopyButton text={location.href} label="Copy the address of this view" />
        </p>
      )}
      <p className={styles['soft']}>
        <code>policy.json</code> holds all ten files: <code>npx market-state diff-policy recording.gz --a default --b policy.json</code>{' '}
        compares it on any recording. <code>numbers.json</code> is the one that you edited: in a service of your own it stands in{' '}
        <code>libs/domain/labeler/policy</code>.
      </p>
    </section>
  );
}

function SaveButton({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <button type="button" onClick={() => giveFile(name, new Blob([text], { type: 'application/json' }))}>
      Save {name}
    </button>
  );
}
