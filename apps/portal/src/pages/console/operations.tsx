import type { OperationId } from '@market-state/client';
import { FIELDS, OPERATIONS } from '../../generated/console';
import { PAGES } from '../../pages';

/** Why an operation has no form here, and where it is done instead. */
export interface NoForm {
  readonly why: string;
  /** Null where nobody does it by hand. */
  readonly instead: { readonly href: string; readonly words: string } | null;
}

const PASSWORD = 'It takes a password, which belongs into its own form and not into one whose fields are in the address.';
const SHOWN_ONCE = 'Its answer holds a secret that is shown once. Its own page shows it so that it can be stored, and forgets it.';

const to = (page: keyof typeof PAGES, words: string): NoForm['instead'] => ({ href: PAGES[page].pattern, words });

/** Operations without a form: what they take or answer may not be here, or nothing can be tried with them. */
export const NO_FORM: Readonly<Partial<Record<OperationId, NoForm>>> = {
  claimAccount: { why: PASSWORD, instead: to('claim', 'Open an account') },
  logIn: { why: PASSWORD, instead: to('login', 'Log in') },
  logOut: { why: 'It ends the session that this browser calls with: every call after it would be refused.', instead: null },
  requestPasswordReset: { why: 'It sends mail to whoever is named.', instead: to('reset', 'Choose a new password') },
  confirmPasswordReset: { why: PASSWORD, instead: to('reset', 'Choose a new password') },
  openBillingPortal: {
    why: 'Its answer is an address of the payment provider that belongs to you alone.',
    instead: to('billing', 'Billing'),
  },
  createCheckoutSession: { why: 'It begins an order, which ends on the page of the payment provider.', instead: to('billing', 'Billing') },
  receiveBillingEvent: { why: 'The payment provider calls it, with a signature that nobody else can make.', instead: null },
  createKey: { why: SHOWN_ONCE, instead: to('keys', 'Keys') },
  updateKey: { why: SHOWN_ONCE, instead: to('keys', 'Keys') },
  createSandboxKey: {
    why: 'Its answer is a key that is shown once. Make one here with “Make a sandbox key”: the page holds it in memory and calls with it.',
    instead: null,
  },
  createWebhook: { why: SHOWN_ONCE, instead: to('webhooks', 'Webhooks') },
  rotateWebhookSecret: { why: SHOWN_ONCE, instead: to('webhooks', 'Webhooks') },
  sendMcpMessage: {
    why: 'Agents speak to it in messages of the Model Context Protocol, which follow on each other.',
    instead: { href: '/docs/guides/agents', words: 'How to add it to an agent' },
  },
};

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
