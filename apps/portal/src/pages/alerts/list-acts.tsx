interface ListActsProps {
  readonly name: string;
  readonly muted: boolean;
  /** A change is under way. */
  readonly isPending: boolean;
  readonly onEdit: () => void;
  readonly onMute: (muted: boolean) => void;
  readonly onDelete: () => void;
}

/** What can be done with an alert or a watchlist. */
export function ListActs({ name, muted, isPending, onEdit, onMute, onDelete }: ListActsProps) {
  const mute = muted ? 'Unmute' : 'Mute';
  return (
    <>
      <button type="button" onClick={onEdit} aria-label={`Edit ${name}`}>
        Edit
      </button>
      <button type="button" disabled={isPending} onClick={() => onMute(!muted)} aria-label={`${mute} ${name}`}>
        {mute}
      </button>
      <button type="button" onClick={onDelete} aria-label={`Delete ${name}`}>
        Delete
      </button>
    </>
  );
}
