import type { components } from '../../../openapi/generated/operations';

/** Schemas of the document by name. */
export type DescribedName = keyof components['schemas'];

/** A part of an answer as the document types it. */
export type Described<Name extends DescribedName> = components['schemas'][Name];

/** An answer without its envelope. */
export type WithoutMeta<Name extends DescribedName> = Omit<Described<Name>, 'meta'>;
