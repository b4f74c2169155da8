import type { Schemas } from '@market-state/client';

interface MatrixRow {
  readonly from: string;
  /** Packets directly followed by another. */
  readonly total: number;
  /** One cell per column; null if it never followed. */
  readonly cells: readonly ({ readonly total: number; readonly share: number } | null)[];
}

interface Matrix {
  readonly columns: readonly string[];
  readonly rows: readonly MatrixRow[];
}

/** Both axes follow the given order; states that only ever followed come last. */
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
