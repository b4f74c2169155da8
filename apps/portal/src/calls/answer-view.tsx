import type { CallFacts } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { CopyButton } from '../controls/copy-button';
import { giveFile } from '../controls/give-file';
import { answerText } from './answer-text';
import styles from './calls.module.css';

interface AnswerViewProps {
  readonly data: unknown;
  readonly call: CallFacts;
  /** From the call to its answer, milliseconds. */
  readonly tookMs: number;
  /** What `remaining` counts: calls of a sandbox key, else credits. */
  readonly left: 'call' | 'credit';
}

/** An answer as JSON, what it cost and left, and the id of its request. */
export function AnswerView({ data, call, tookMs, left }: AnswerViewProps) {
  const { whole, shown, isCut, extension } = answerText(data);
  return (
    <>
      <p role="status" className={styles['soft']}>
        {call.status} in {Math.round(tookMs)} ms
        {call.charged === null ? '' : `, cost ${counted(call.charged, 'credit')}`}
        {call.remaining === null ? '' : `, ${counted(call.remaining, left)} left`}, request <code>{call.requestId}</code>
      </p>
      <pre tabIndex={0} role="region" aria-label="Answer as JSON">
        <code>{shown}</code>
      </pre>
      {isCut ? (
        <p className={styles['soft']}>
          The first {Math.round((100 * shown.length) / whole.length)} % of {whole.length.toLocaleString('en-US')} characters are shown.
        </p>
      ) : null}
      <p className={styles['actions']}>
        <CopyButton text={whole} label="Copy the answer" />
        {isCut ? (
          <button type="button" onClick={() => giveFile(`answer.${extension}`, new Blob([whole]))}>
            Save all of it
          </button>
        ) : null}
        <CopyButton text={call.requestId} label="Copy the id of the request" />
      </p>
    </>
  );
}
