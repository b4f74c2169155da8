import { Modal } from '../controls/dialog';
import { PAGES, type Page } from '../pages';
import styles from './shell.module.css';

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['/'], 'search: a symbol, or the id of an event'],
  ...(Object.values(PAGES) as readonly Page[]).flatMap(({ key, title }) => (key === undefined ? [] : [[['g', key], title] as const])),
  [['[', ']'], 'on a packet and in a replay: the packet before, the packet after'],
  [['space'], 'in a replay: play, or pause'],
  [['left', 'right'], 'in a replay: one second back, one second on'],
  [['?'], 'this help'],
];

/** All keys, in a dialog that `?` opens. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal title="Keys" onClose={onClose}>
      <div className={styles['help']}>
        <table>
          <tbody>
            {KEYS.map(([keys, meaning]) => (
              <tr key={meaning}>
                <th scope="row">
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </th>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          <a href={PAGES.console.pattern}>Try any operation of the API</a>
        </p>
        <p>Packets are context for monitoring and review. They are no signal, no advice and no order.</p>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </div>
    </Modal>
  );
}
