import { useRef, useState } from 'react';
import { Empty } from '../../conditions/empty';
import { ProblemNotice } from '../../conditions/problem-notice';
import sheet from '../../theme/sheet.module.css';
import { AlertDestination } from './alert-destination';
import styles from './alerts.module.css';
import { changesOf } from './changes';
import { type Rule, toWire, usualRule } from './rule';
import { isSaidAtRules, NO_FAULTS, refusedFields } from './rule-faults';
import { SaveDraft, toFirstFault } from './save-draft';
import { costWords, useCreateWatchlist, useUpdateWatchlist, type WatchlistRecord } from './use-alerts';
import { draftFaults, draftOf, plainDraft, type WatchlistDraft } from './watchlist-draft';
import { WatchlistForm } from './watchlist-form';
import { WatchlistRehearsal } from './watchlist-rehearsal';

const NEW: WatchlistDraft = { name: '', symbols: [], rules: [{ key: 0, rule: usualRule('severity_at_least') }], muted: false };
const FIELDS = ['name', 'symbols', 'rules'];

interface WatchlistPanelProps {
  /** Null where it is a new one. */
  readonly saved: WatchlistRecord | null;
  readonly onTry: (rule: Rule, symbol: string) => void;
  readonly onCreated: (watchlistId: string) => void;
  readonly onClose: () => void;
}

/** A watchlist to make, or one that is saved: changed in place, and rehearsed as it is saved. */
export function WatchlistPanel({ saved, onTry, onCreated, onClose }: WatchlistPanelProps) {
  const first = saved === null ? NEW : draftOf(saved);
  return (
    <section className={sheet['panel']} aria-label={saved === null ? 'New watchlist' : 'Open watchlist'}>
      <div className={sheet['head']}>
        <h2>{saved === null ? 'New watchlist' : saved.name}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {first === null ? (
        <Empty why="It has a rule of a kind that this page does not know.">Load the page again: a newer one may know it.</Empty>
      ) : (
        <Editor saved={saved} first={first} onTry={onTry} onCreated={onCreated} />
      )}
    </section>
  );
}

function Editor({ saved, first, onTry, onCreated }: Omit<WatchlistPanelProps, 'onClose'> & { readonly first: WatchlistDraft }) {
  const [draft, setDraft] = useState(first);
  const [isTried, setIsTried] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const create = useCreateWatchlist(({ watchlist_id: id }) => onCreated(id));
  const update = useUpdateWatchlist();
  const error = create.error ?? update.error;
  const own = draftFaults(draft);
  const shown = new Map([...refusedFields(error), ...(isTried ? own : NO_FAULTS)]);
  const before = plainDraft(first);
  const after = plainDraft(draft);
  const changes = saved === null || own.size > 0 ? null : changesOf(before, after);
  const save = (): void => {
    setIsTried(true);
    if (own.size > 0) return void requestAnimationFrame(() => toFirstFault(place.current));
    const wish = { name: after.name, symbols: [...after.symbols], rules: after.rules.map(toWire) };
    if (saved === null) create.mutate(wish);
    else update.mutate({ watchlist_id: saved.watchlist_id, ...wish, muted: after.muted });
  };
  const undo = (): void => {
    setDraft(first);
    setIsTried(false);
  };
  return (
    <>
      <div ref={place} className={styles['editor']}>
        <WatchlistForm draft={draft} faults={shown} onChange={setDraft} onTry={onTry} />
        {saved === null ? null : (
          <label className={styles['check']}>
            <input type="checkbox" checked={draft.muted} onChange={({ target }) => setDraft({ ...draft, muted: target.checked })} /> muted:
            its rules are looked at, and no message is sent
          </label>
        )}
      </div>
      {draft.symbols.length === 0 || draft.rules.length === 0 ? null : <AlertDestination symbols={draft.symbols} />}
      <SaveDraft
        changes={changes}
        action={saved === null ? 'Save the watchlist' : 'Save the changes'}
        isSending={create.isPending || update.isPending}
        isSaved={update.isSuccess}
        faults={isTried ? own.size : 0}
        cost={
          saved === null
            ? costWords('createWatchlist', { name: '', symbols: [], rules: [] })
            : costWords('updateWatchlist', { watchlist_id: saved.watchlist_id })
        }
        onSave={save}
        {...(saved === null ? {} : { onUndo: undo })}
      />
      {error === null || isSaidAtRules(error, FIELDS) ? null : <ProblemNotice error={error} />}
      {saved === null ? null : <WatchlistRehearsal saved={saved} hasChanges={changes === null || changes.length > 0} />}
    </>
  );
}
