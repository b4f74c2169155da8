import { counted } from '@market-state/packet-figures';
import { type FormEvent, useId, useState } from 'react';
import { clock } from '../../time/clock';
import type { MovedTrade } from '../messages';
import styles from './panel.module.css';

interface TamperProps {
  /** Trades that can be moved; null before the first check. */
  readonly tradeTotal: number | null;
  /** The one that is moved now. */
  readonly moved: MovedTrade | null;
  readonly isMoved: boolean;
  readonly onMove: (trade: number) => void;
  readonly onPutBack: () => void;
}

/** Lets a reader move one trade by 0.1, to see that it is found, and put it back. */
export function Tamper({ tradeTotal, moved, isMoved, onMove, onPutBack }: TamperProps) {
  const [trade, setTrade] = useState('1');
  const id = useId();
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    if (isMoved) onPutBack();
    else onMove(Number(trade));
  };
  return (
    <form className={styles['tamper']} onSubmit={submit} data-moved={isMoved}>
      <h3>Tamper with it: move one trade by 0.1</h3>
      <p>
        <label htmlFor={id}>Which trade, counted from the last</label>
        <input
          id={id}
          type="number"
          min={1}
          max={tradeTotal ?? 1}
          step={1}
          required
          value={trade}
          disabled={tradeTotal === null}
          readOnly={isMoved}
          onChange={({ target }) => setTrade(target.value)}
        />
        <button type="submit" disabled={tradeTotal === null}>
          {isMoved ? 'Put it back' : 'Move it by 0.1'}
        </button>
      </p>
      <p className={styles['soft']}>
        {moved !== null ? (
          <>
            Entry {moved.ordinal.toLocaleString('en-US')} of the log, {clock(moved.atMs)}: price {moved.price} became{' '}
            <b>{moved.movedPrice}</b>. Nothing else was changed.
          </>
        ) : tradeTotal === null ? (
          'After the first check.'
        ) : (
          `Up to the end of the packet's window there are ${counted(tradeTotal, 'trade')}.`
        )}
      </p>
    </form>
  );
}
