import type { PacketChange } from '@market-state/labeler/lab';
import { counted, words } from '@market-state/packet-figures';
import { WideTable } from '../../figures/wide-table';
import { stateLabel } from '../../packets/words';
import { clockBelow, zoned } from '../../time/clock';
import styles from './lab.module.css';
import { fieldWords, valueWords } from './result-words';

interface ChangeTableProps {
  readonly changes: readonly PacketChange[];
  readonly onChoose: (windowEndMs: number) => void;
}

/** Moves told of one window; the packets have them all. */
const MOVES_MAX = 4;

/** Every window that reads differently, what of it, and the numbers that moved: those of `market-state diff-policy`. */
export function ChangeTable({ changes, onChoose }: ChangeTableProps) {
  if (changes.length === 0)
    return <p>None. Published state, raw winner, event class, diagnosis, severity class and tags are the same in every window.</p>;
  return (
    <div className={styles['tall']}>
      <WideTable label="Windows that read differently">
        <thead>
          <tr>
            <th scope="col">{zoned('Window to')}</th>
            <th scope="col">What differs</th>
            <th scope="col">Published</th>
            <th scope="col">Your policy</th>
            <th scope="col">What moved</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <ChangeRow key={change.windowEndMs} change={change} onChoose={onChoose} />
          ))}
        </tbody>
      </WideTable>
    </div>
  );
}

function ChangeRow({ change, onChoose }: { readonly change: PacketChange; readonly onChoose: ChangeTableProps['onChoose'] }) {
  const { windowEndMs, fields, tagsAdded, tagsRemoved, because } = change;
  const shown = (field: string, value: string): string =>
    field === 'state' || field === 'winner_state' ? stateLabel(value) : words(value);
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          onClick={() => onChoose(windowEndMs)}
          aria-label={`Show both decisions of the window to ${clockBelow(windowEndMs)}`}
        >
          {clockBelow(windowEndMs, 'time')}
        </button>
      </th>
      <td>
        <Lines lines={[...fields.map(({ field }) => fieldWords(field)), ...(tagsAdded.length + tagsRemoved.length > 0 ? ['tags'] : [])]} />
      </td>
      <td>
        <Lines lines={[...fields.map(({ field, a }) => shown(field, a)), ...tagWords(tagsRemoved, tagsAdded)]} />
      </td>
      <td>
        <Lines lines={[...fields.map(({ field, b }) => shown(field, b)), ...tagWords(tagsAdded, tagsRemoved)]} />
      </td>
      <td className={styles['soft']}>
        <Lines
          lines={[
            ...because
              .slice(0, MOVES_MAX)
              .map(({ kind, name, a, b }) => `${kind} ${words(name)}: ${valueWords(a)}, yours ${valueWords(b)}`),
            ...(because.length > MOVES_MAX ? [`and ${because.length - MOVES_MAX} more`] : []),
          ]}
        />
      </td>
    </tr>
  );
}

/** Tags that only one of the two has; the window's own table names them. */
function tagWords(own: readonly string[], others: readonly string[]): readonly string[] {
  return own.length + others.length === 0 ? [] : [own.length === 0 ? 'none of its own' : `${counted(own.length, 'tag')} of its own`];
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.map((line) => <div key={line}>{line}</div>);
}
