import type { Answer, MarketState, OperationId } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useState } from 'react';
import { AnswerView } from '../../../calls/answer-view';
import styles from '../../../calls/calls.module.css';
import { ProblemNotice } from '../../../conditions/problem-notice';
import { usePublicSymbols } from '../../../proofs/proof-queries';
import { callsFor, type ConsoleCall } from './console-calls';

/** What came of the last call. */
type Outcome =
  | { readonly phase: 'none' }
  | { readonly phase: 'running'; readonly call: ConsoleCall }
  | { readonly phase: 'answered'; readonly call: ConsoleCall; readonly answer: Answer<OperationId, unknown>; readonly tookMs: number }
  | { readonly phase: 'refused'; readonly call: ConsoleCall; readonly error: unknown };

const USUAL_SYMBOL = 'BTCUSD-PERP';

/** Example calls of a key: what each costs beside it, its answer as JSON, what it did cost, and the id of the request. */
export function Console({ client }: { readonly client: MarketState }) {
  const symbols = usePublicSymbols().data ?? [];
  const [chosen, setChosen] = useState('');
  const [outcome, setOutcome] = useState<Outcome>({ phase: 'none' });
  const symbol = chosen === '' ? (symbols[0] ?? USUAL_SYMBOL) : chosen;
  const send = async (call: ConsoleCall): Promise<void> => {
    setOutcome({ phase: 'running', call });
    const startedMs = performance.now();
    try {
      const answer = await call.send();
      setOutcome({ phase: 'answered', call, answer, tookMs: performance.now() - startedMs });
    } catch (error) {
      setOutcome({ phase: 'refused', call, error });
    }
  };
  return (
    <div className={styles['console']}>
      <div className={styles['calls']}>
        <label>
          Symbol{' '}
          <select value={symbol} onChange={({ target }) => setChosen(target.value)}>
            {(symbols.includes(symbol) ? symbols : [symbol, ...symbols]).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <ul>
          {callsFor(client, symbol).map((call) => (
            <li key={call.id}>
              <button type="button" disabled={outcome.phase === 'running'} onClick={() => void send(call)}>
                {call.title}
              </button>
              <span className={styles['soft']}>
                {call.creditsAtMost === null ? '' : `at most ${counted(call.creditsAtMost, 'credit')}`}
              </span>
            </li>
          ))}
        </ul>
      </div>
      <OutcomeView outcome={outcome} />
    </div>
  );
}

function OutcomeView({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.phase === 'none')
    return <p className={styles['soft']}>Choose a call: its answer comes here, as your program would get it.</p>;
  return (
    <div className={styles['answer']}>
      <p>
        <code>{outcome.call.line}</code>
      </p>
      {outcome.phase === 'running' ? <p role="status">Asking…</p> : null}
      {outcome.phase === 'refused' ? <ProblemNotice error={outcome.error} /> : null}
      {outcome.phase === 'answered' ? <AnswerView {...outcome.answer} tookMs={outcome.tookMs} left="call" /> : null}
    </div>
  );
}
