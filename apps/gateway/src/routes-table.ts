import { operations } from './serving/openapi/operations';

/** One route as it is listed. */
export interface RouteLine {
  readonly method: string;
  readonly path: string;
  /** What opens it. */
  readonly access: 'public' | 'key' | 'key or session';
  readonly metered: boolean;
}

const ACCESS = { none: 'public', key: 'key', key_or_session: 'key or session' } as const;

/** Every route of the document with its access, by path and method. */
export function listRoutes(): RouteLine[] {
  return operations
    .map(
      (operation): RouteLine => ({
        method: operation.method.toUpperCase(),
        path: operation.path,
        access: ACCESS[operation.credential],
        metered: operation.metered,
      }),
    )
    .sort((a, b) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1));
}

/** The list as aligned text. */
export function formatRoutes(routes: readonly RouteLine[]): string {
  const rows = routes.map(({ method, path, access, metered }) => [method, access, metered ? 'metered' : 'free', path]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return [...lines, `${routes.length} routes`].join('\n');
}
