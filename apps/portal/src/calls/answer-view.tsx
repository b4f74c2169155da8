import type { CallFacts } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { CopyButton } from '../controls/buttons';
import { giveFile } from '../controls/give-file';
import { answerText } from './answer-text';
import styles from './calls.module.css';

interface AnswerViewProps {
  readonly data: unknown;
  readonly call: CallFacts;
  readonly tookMs: number;
  readonly left: 'call' | 'credit';
}

export function AnswerView({ data, call, tookMs, left }: AnswerViewProps) {
  const { whole, shown, isCut, extension } = answerText(data);
  return (
    <>
      <p role="status" className={styles['soft']}>
        {call.status} in {Math.round(tookMs)} ms
        {call.charged === null ? '' : `, cost ${counted(call.charged, 'credit')}`}
        {call.remaining === null ? '' : `, ${counted(call.remaining, left)} left`}, request <code>{call.requestId}</code>
      </p>
      <pre tabIndex={0} role="region" aria-label="Response as JSON">
        <code>{shown}</code>
      </pre>
      {isCut ? (
        <p className={styles['soft']}>
          Showing the first {Math.round((100 * shown.length) / whole.length)} % of {whole.length.toLocaleString('en-US')} characters.
        </p>
      ) : null}
      <p className={styles['actions']}>
        <CopyButton text={whole} label="Copy response" />
        {isCut ? (
          <button type="button" onClick={() => giveFile(`answer.${extension}`, new Blob([whole]))}>
            Save full response
          </button>
        ) : null}
        <CopyButton text={call.requestId} label="Copy request id" />
      </p>
    </>
  );
}
