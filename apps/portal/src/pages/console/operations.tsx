import type { OperationId } from '@market-state/client';
import { FIELDS, OPERATIONS } from '../../generated/console';

/** A field of an operation's form. */
export interface CallField {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly required?: true;
  /** `words`: a list of texts. `json`: what has fields of its own. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'words' | 'json';
  readonly enum?: readonly (string | number | null)[];
  /** Those that may be in a list. */
  readonly words?: readonly string[];
  readonly nullable?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly default?: string | number | boolean | null;
  readonly about: string;
}

/** An operation as its form shows it. */
export interface CallOperation {
  readonly id: OperationId;
  readonly tag: string;
  readonly summary: string;
  readonly about: string;
  readonly method: string;
  readonly path: string;
  /** Its method of the SDKs: `history.get`. */
  readonly sdk: string;
  readonly needsCredential: boolean;
  /** What a key must be allowed. */
  readonly scope?: string;
  /** What a sandbox key gets: data of ten minutes ago, data of now, or a refusal. */
  readonly sandbox?: string;
  /** It takes or answers something secret. */
  readonly hasSecret?: true;
  readonly fields: readonly CallField[];
}

/** Every operation, in the order of the document. */
export const operations: readonly CallOperation[] = Object.entries(OPERATIONS).map(([id, facts]) => ({
  ...(facts as Omit<CallOperation, 'id' | 'fields'>),
  id: id as OperationId,
  fields: facts.fields.map((at) => FIELDS[at] as CallField),
}));

/** Operations for a browser's session have their own ids; the session of this page calls them by those of keys. */
const TWIN = /InWorkspace$/;

/** The operation of an id; undefined where there is none. */
export function findOperation(id: string): CallOperation | undefined {
  const known = id.replace(TWIN, '');
  return operations.find((operation) => operation.id === known);
}

/** The page of an operation in the documentation. */
export function docsPath({ id }: CallOperation): string {
  return `/docs/reference/operations/${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** An operation, its address, and where it is described. */
export function OperationTitle({ operation }: { readonly operation: CallOperation }) {
  return (
    <>
      <h2>{operation.summary}</h2>
      <p>
        <code>
          {operation.method} {operation.path}
        </code>{' '}
        <a href={docsPath(operation)}>Its documentation</a>
      </p>
    </>
  );
}
