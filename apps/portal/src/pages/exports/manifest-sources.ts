import type { SymbolSource } from '../../conditions/source-ribbon';

/** The sources that a manifest names; none where it has no such list. */
export function sourcesOf(manifest: unknown): readonly SymbolSource[] {
  const { sources } = manifest as { readonly sources?: unknown };
  if (!Array.isArray(sources)) return [];
  return (sources as readonly Readonly<Record<string, unknown>>[]).map(({ symbol, source_kind: kind }) => ({
    symbol: String(symbol),
    source_kind: typeof kind === 'string' ? kind : null,
  }));
}
