/** Where the labeler is when it is killed. */
export type Place = 'anywhere' | 'before its packet is written' | 'before its state is saved' | "before an hour's checkpoint is written";

/** The table whose writing is held up, so that the labeler stands at a place for as long as it takes to kill it. */
export const heldTables: Readonly<Record<Exclude<Place, 'anywhere'>, string>> = {
  'before its packet is written': 'packet',
  'before its state is saved': 'labeler_state',
  "before an hour's checkpoint is written": 'checkpoint',
};
