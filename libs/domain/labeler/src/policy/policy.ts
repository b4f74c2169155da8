import type { CompiledLane } from './compile-lanes';
import type { CompiledTags, CompiledReason, CompiledTexts, CompiledValues } from './rules';
import type { GuidanceField, LanesFile, PolicyContent, RoutesFile, TextField, TextsFile, VersionsFile } from './content';
import type { FactDeclaration } from './fact';
import type { PolicyNumbers } from './numbers';
import type { Taxonomy } from './taxonomy';

/** Policies with the same digest are identical. */
export interface Policy {
  /** SHA-256, lower-case hex, of the RFC 8785 JSON of {file name without `.json`: content}. */
  readonly digest: string;
  readonly files: PolicyContent;
  readonly numbers: PolicyNumbers;
  readonly facts: readonly FactDeclaration[];
  readonly sourceFamilyOf: ReadonlyMap<string, string>;
  readonly taxonomy: Taxonomy;
  readonly tags: CompiledTags;
  /** In file order; the last is for a read without counterevidence. */
  readonly reasons: readonly CompiledReason[];
  readonly lanes: readonly CompiledLane[];
  readonly producerLane: LanesFile['producer_lane'];
  readonly stateLane: LanesFile['state_lane'];
  readonly routes: RoutesFile;
  readonly guidance: Readonly<Record<GuidanceField, CompiledValues>>;
  readonly texts: Readonly<Record<TextField, CompiledTexts>>;
  readonly literals: Pick<TextsFile, 'claim_boundary' | 'trade_instruction' | 'market_outcome_claim'>;
  readonly versions: VersionsFile;
}
