import { useId, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { Modal } from '../controls/dialog';
import { DOCS } from '../pages';
import { usePublicSymbols } from '../proofs/proof-queries';
import { useSession } from '../service/session';
import { symbolsOf, useCatalog } from '../service/use-catalog';
import { type PaletteItem, paletteItems } from './palette-items';
import styles from './palette.module.css';

const KINDS: Readonly<Record<PaletteItem['kind'], string>> = { symbol: 'Symbol', event: 'Packet', page: 'Page', search: 'Search' };
const NONE: readonly string[] = [];

/** Opens symbols, packets and pages by a few letters. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { data: session } = useSession();
  return session === undefined ? <OpenPalette onClose={onClose} /> : <OwnPalette onClose={onClose} />;
}

function OwnPalette({ onClose }: { readonly onClose: () => void }) {
  const { data } = useCatalog();
  return <Choices symbols={data === undefined ? NONE : symbolsOf(data)} onClose={onClose} />;
}

function OpenPalette({ onClose }: { readonly onClose: () => void }) {
  const { data } = usePublicSymbols();
  return <Choices symbols={data ?? NONE} onClose={onClose} />;
}

interface ChoicesProps {
  readonly symbols: readonly string[];
  readonly onClose: () => void;
}

function Choices({ symbols, onClose }: ChoicesProps) {
  const [, open] = useLocation();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const items = paletteItems(text, symbols);
  const chosen = Math.min(at, items.length - 1);
  const go = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    onClose();
    // The documentation is not part of this page's script.
    if (item.path.startsWith(DOCS)) location.assign(item.path);
    else open(item.path);
  };
  const press = (pressed: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[pressed.key];
    if (step !== undefined) setAt((chosen + step + items.length) % items.length);
    else if (pressed.key === 'Enter') go(items[chosen]);
    else return;
    pressed.preventDefault();
  };
  return (
    <Modal title="Go to" onClose={onClose}>
      <div className={styles['palette']}>
        <input
          role="combobox"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          placeholder="Symbol, event id, state or page"
          aria-label="Symbol, event id, state or page"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={items.length === 0 ? undefined : `${id}-${chosen}`}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <ul id={id} role="listbox" aria-label="Results">
          {items.map((item, index) => (
            <li
              key={item.path}
              ref={(row) => {
                if (index === chosen) row?.scrollIntoView({ block: 'nearest' });
              }}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              onPointerMove={() => setAt(index)}
              onClick={() => go(item)}
            >
              <span>{item.title}</span> <small>{KINDS[item.kind]}</small>
            </li>
          ))}
        </ul>
        <p>
          <kbd>↑</kbd> <kbd>↓</kbd> to choose, <kbd>Enter</kbd> to open, <kbd>Esc</kbd> to close
        </p>
      </div>
    </Modal>
  );
}
