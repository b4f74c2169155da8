import { counted } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@market-state/client';
import type { FormEvent } from 'react';
import { Field } from '../../account/field';
import { fieldFaults, isSaidAtFields } from '../../account/field-faults';
import { ProblemNotice } from '../../conditions/problem-notice';
import { service } from '../../service/client';
import { clock } from '../../time/clock';
import { sizeWords } from '../exports/job-words';
import { whole } from './balances';
import styles from './usage.module.css';

/** Calls whose price depends on what they ask for, and how each is quoted. */
const CALLS = {
  latest: ['newest packet', (symbol: string) => service.quote('getLatest', { symbol })],
  history: ['history of packets', (symbol: string, limit: number) => service.quote('listHistory', { symbol, limit })],
  replay: ['replay of packets', (symbol: string, limit: number) => service.quote('replayPackets', { symbol, limit })],
  trades: ['newest trades', (symbol: string, limit: number) => service.quote('listLatestTrades', { symbol, limit })],
  window: ['replay window of rows', (symbol: string) => service.quote('getReplayWindow', { symbol })],
} as const;

/** Bound of the service. */
const ROWS_MAX = 1_000;
const FIELDS = ['symbol', 'limit'];

/** What a call would cost, before it is made. */
export function Estimate() {
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: async (form: FormData) => {
      const [, quote] = CALLS[form.get('call') as keyof typeof CALLS];
      return (await quote(String(form.get('symbol')).trim().toUpperCase(), Number(form.get('limit')))).estimate;
    },
  });
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate(new FormData(submitted.currentTarget));
  };
  const faults = fieldFaults(error);
  return (
    <form onSubmit={submit} className={styles['caps']}>
      <label className={styles['choice']}>
        Call
        <select name="call">
          {Object.entries(CALLS).map(([name, [title]]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Field label="Symbol" name="symbol" required defaultValue="BTCUSD-PERP" autoComplete="off" fault={faults.get('symbol')} />
      <Field label="Rows" name="limit" type="number" required min={1} max={ROWS_MAX} defaultValue={100} fault={faults.get('limit')} />
      <p className={styles['actions']}>
        <button type="submit" className={styles['go']} disabled={isPending}>
          What would it cost?
        </button>
        <span className={styles['soft']}>asking costs nothing</span>
      </p>
      <div role="status">
        {data === undefined ? null : (
          <>
            <p>
              <b>{counted(data.estimated_market_state_credit_cost, 'credit')}</b> at most: {data.estimate_basis}.{' '}
              {data.would_be_refused_with === null
                ? `${whole(data.market_state_credits_after)} would be left to spend.`
                : `It would be refused: ${data.would_be_refused_with.replaceAll('_', ' ')}.`}
            </p>
            <p>{answerWords(data)}</p>
            <p className={styles['soft']}>
              Prices {data.price_version}; the price is bound until {clock(Date.parse(data.quote_expires_at_utc), 'time')}.
            </p>
          </>
        )}
      </div>
      {error === null || isSaidAtFields(error, FIELDS) ? null : <ProblemNotice error={error} />}
    </form>
  );
}

/** How much would come, as far as it is known. */
function answerWords({ row_total: rows, row_total_is: sureness, byte_total: bytes }: Schemas['UsageEstimate']): string {
  if (rows === null) return 'How many rows would come is not known.';
  const size = bytes === null ? '' : `, about ${sizeWords(bytes)} before compression`;
  return `${counted(rows, 'row')}${sureness === 'at_most' ? ' at most' : ''}${size}.`;
}
