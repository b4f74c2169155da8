import type { Schemas } from '@market-state/client';

/** What followed the packets of one state. */
export interface MatrixRow {
  readonly from: string;
  /** Packets that another follows directly. */
  readonly total: number;
  /** A cell a column; null where it never followed. */
  readonly cells: readonly ({ readonly total: number; readonly share: number } | null)[];
}

/** States against the states that followed them. */
export interface Matrix {
  readonly columns: readonly string[];
  readonly rows: readonly MatrixRow[];
}

/** The transition matrix, both sides in the order of the states given; one that only ever followed is a column at the end. */
export function matrixOf(states: readonly Pick<Schemas['StateStability'], 'state' | 'transitions'>[]): Matrix {
  const columns = [
    ...new Set([...states.map(({ state }) => state), ...states.flatMap(({ transitions }) => transitions.map(({ to_state: to }) => to))]),
  ];
  return {
    columns,
    rows: states.map(({ state: from, transitions }) => {
      const followed = new Map(transitions.map(({ to_state: to, total, share }) => [to, { total, share: share ?? 0 }]));
      return {
        from,
        total: transitions.reduce((sum, { total }) => sum + total, 0),
        cells: columns.map((to) => followed.get(to) ?? null),
      };
    }),
  };
}
