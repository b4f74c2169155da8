import type { Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { ChangeButton } from '../../controls/change-button';
import records from '../../controls/records.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { windowWords } from './key-values';
import type { Key } from './use-keys';

export type KeyAction = 'change' | 'rotate' | 'revoke';

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly spend: ReadonlyMap<string, Schemas['KeySpend']> | undefined;
  readonly onAct: (action: KeyAction, key: Key) => void;
}

export function KeyTable({ keys, spend, onAct }: KeyTableProps) {
  return (
    <table className={records['table']}>
      <caption className="visually-hidden">Keys, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">State</th>
          <th scope="col">Scopes</th>
          <th scope="col">Limits</th>
          <th scope="col" className={records['number']}>
            Credits spent in 31 days
          </th>
          <th scope="col">{zoned('Last used')}</th>
          <th scope="col">{zoned('Created')}</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.key_id} record={key} spend={spend === undefined ? undefined : (spend.get(key.key_id) ?? null)} onAct={onAct} />
        ))}
      </tbody>
    </table>
  );
}

interface KeyRowProps {
  readonly record: Key;
  /** Null if it has spent nothing; undefined while loading. */
  readonly spend: Schemas['KeySpend'] | null | undefined;
  readonly onAct: KeyTableProps['onAct'];
}

function KeyRow({ record, spend, onAct }: KeyRowProps) {
  const isActive = record.state === 'active';
  const lastUsed = record.last_used_utc === null ? 'never' : clockBelow(Date.parse(record.last_used_utc), 'minute');
  return (
    <tr data-off={!isActive}>
      <th scope="row">
        {record.name} {record.kind === 'test' ? <span className={records['mark']}>test</span> : null}
        <code>{record.display}</code>
      </th>
      <td data-column="State">
        {record.state}
        <span className={records['more']}>{endWords(record)}</span>
      </td>
      <td data-column="Scopes">{record.scopes.join(', ')}</td>
      <td data-column="Limits">
        <Ceiling of={record.credit_ceiling} />
        {record.rate_limit === null ? null : (
          <span className={records['more']}>{counted(record.rate_limit.calls_per_minute, 'call')} per minute</span>
        )}
      </td>
      <td data-column="Credits spent in 31 days" className={records['number']}>
        {spend === undefined ? '…' : <Spend spend={spend} keyId={record.key_id} />}
      </td>
      <td data-column={zoned('Last used')}>{lastUsed}</td>
      <td data-column={zoned('Created')}>{clockBelow(Date.parse(record.created_utc), 'minute')}</td>
      <td className={records['acts']}>
        {isActive
          ? ACTIONS.map(([action, word]) => (
              <ChangeButton key={action} onClick={() => onAct(action, record)} aria-label={`${word} ${record.name} ${record.display}`}>
                {word}
              </ChangeButton>
            ))
          : null}
      </td>
    </tr>
  );
}

const ACTIONS: readonly (readonly [KeyAction, string])[] = [
  ['change', 'Change'],
  ['rotate', 'Rotate'],
  ['revoke', 'Revoke'],
];

function endWords({ state, expires_utc: expires, revoked_utc: revoked }: Key): string {
  if (revoked !== null) return clockBelow(Date.parse(revoked), 'minute');
  if (expires === null) return 'does not expire';
  return `${state === 'expired' ? '' : 'until '}${clockBelow(Date.parse(expires), 'minute')}`;
}

function Spend({ spend, keyId }: { readonly spend: Schemas['KeySpend'] | null; readonly keyId: string }) {
  if (spend === null) return 0;
  return (
    <>
      <Link href={`/usage?key_id=${keyId}`}>{spend.market_state_credits.toLocaleString('en-US')}</Link>
      {spend.export_credits === 0 ? null : (
        <span className={records['more']}>and {spend.export_credits.toLocaleString('en-US')} export</span>
      )}
    </>
  );
}

function Ceiling({ of: ceiling }: { readonly of: Schemas['CreditCeiling'] }) {
  if (ceiling === null) return 'no limit';
  const { credits, window_seconds: seconds, spent, resets_at_utc: resets } = ceiling;
  return (
    <>
      {spent.toLocaleString('en-US')} of {counted(credits, 'credit')} per {windowWords(seconds)}
      <meter
        className={records['meter']}
        min={0}
        max={credits}
        value={Math.min(credits, spent)}
        aria-label={`${spent} of ${credits} credits in this window spent`}
      />
      <span className={records['more']}>resets {clockBelow(Date.parse(resets), 'monthMinute')}</span>
    </>
  );
}
