import type { SigningKey, SymbolSource } from '@market-state/labeler';

/** Public keys by their id. */
export type Keys = ReadonlyMap<string, SigningKey>;

/** Verifies one symbol and tells of it. `keys` null: signatures are not checked. */
export type VerifyEach = (source: SymbolSource, keys: Keys | null) => Promise<void>;
