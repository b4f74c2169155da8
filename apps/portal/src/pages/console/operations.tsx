import type { OperationId } from '@market-state/client';
import { FIELDS, OPERATIONS } from '../../generated/console';
import { PAGES } from '../../pages';

export interface NoForm {
  readonly why: string;
  /** Null if there is no manual alternative. */
  readonly instead: { readonly href: string; readonly words: string } | null;
}

const PASSWORD = 'It takes a password, which must not be entered in a form whose fields are in the address.';
const SHOWN_ONCE = 'Its response holds a secret that is shown only once. Use its own page, which lets you store it and then forgets it.';

const to = (page: keyof typeof PAGES, words: string): NoForm['instead'] => ({ href: PAGES[page].pattern, words });

/** Operations that cannot be tried here, or whose input or output must not be shown here. */
export const NO_FORM: Readonly<Partial<Record<OperationId, NoForm>>> = {
  claimAccount: { why: PASSWORD, instead: to('claim', 'Create an account') },
  logIn: { why: PASSWORD, instead: to('login', 'Log in') },
  beginOidcLogin: { why: 'It begins a login, for which the browser goes to the login provider.', instead: to('login', 'Log in') },
  finishOidcLogin: { why: 'Only the login provider can answer it.', instead: to('login', 'Log in') },
  logOut: { why: 'It ends the session of this browser, so every later call would be refused.', instead: null },
  requestPasswordReset: { why: 'It sends email to the address you enter.', instead: to('reset', 'Choose a new password') },
  confirmPasswordReset: { why: PASSWORD, instead: to('reset', 'Choose a new password') },
  requestEmailChange: { why: PASSWORD, instead: to('account', 'Account') },
  confirmEmailChange: { why: 'It needs the code from an email, which this page must not keep.', instead: to('account', 'Account') },
  beginSecondFactor: { why: PASSWORD, instead: to('account', 'Account') },
  confirmSecondFactor: { why: SHOWN_ONCE, instead: to('account', 'Account') },
  disableSecondFactor: { why: PASSWORD, instead: to('account', 'Account') },
  createRecoveryCodes: { why: SHOWN_ONCE, instead: to('account', 'Account') },
  acceptInvitation: { why: PASSWORD, instead: to('join', 'Join a team') },
  createInvitation: { why: 'It sends email to the address you enter.', instead: to('account', 'Account') },
  leaveTeam: { why: 'It deletes your account, so every later call would be refused.', instead: to('account', 'Account') },
  openBillingPortal: {
    why: 'Its response is a payment page address meant only for you.',
    instead: to('billing', 'Billing'),
  },
  createCheckoutSession: { why: 'It starts an order that is completed on the payment page.', instead: to('billing', 'Billing') },
  receiveBillingEvent: { why: 'Only the payment provider can call it, with its own signature.', instead: null },
  createKey: { why: SHOWN_ONCE, instead: to('keys', 'Keys') },
  updateKey: { why: SHOWN_ONCE, instead: to('keys', 'Keys') },
  createSandboxKey: {
    why: 'Its response is a key that is shown only once. Use “Create a free sandbox key” here: the page keeps it in memory and calls with it.',
    instead: null,
  },
  createWebhook: { why: SHOWN_ONCE, instead: to('webhooks', 'Webhooks') },
  updateWebhook: { why: 'It may change a credential, which this page must not keep.', instead: to('webhooks', 'Webhooks') },
  rotateWebhookSecret: { why: SHOWN_ONCE, instead: to('webhooks', 'Webhooks') },
  sendMcpMessage: {
    why: 'It is a session of Model Context Protocol messages for agents, not a single call.',
    instead: { href: '/docs/guides/agents', words: 'How to add it to an agent' },
  },
};

export interface CallField {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly required?: true;
  /** `words` is a list of strings; `json` has fields of its own. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'words' | 'json';
  readonly enum?: readonly (string | number | null)[];
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

export interface CallOperation {
  readonly id: OperationId;
  readonly tag: string;
  readonly summary: string;
  readonly about: string;
  readonly method: string;
  readonly path: string;
  readonly sdk: string;
  readonly needsCredential: boolean;
  readonly scope?: string;
  /** Data that a sandbox key gets: delayed data, current data or a refusal. */
  readonly sandbox?: string;
  readonly hasSecret?: true;
  readonly fields: readonly CallField[];
}

export const operations: readonly CallOperation[] = Object.entries(OPERATIONS).map(([id, facts]) => ({
  ...(facts as Omit<CallOperation, 'id' | 'fields'>),
  id: id as OperationId,
  fields: facts.fields.map((at) => FIELDS[at] as CallField),
}));

/** Browser-session operations have ids of their own; this page calls them by the ids for keys. */
const TWIN = /InWorkspace$/;

export function findOperation(id: string): CallOperation | undefined {
  const known = id.replace(TWIN, '');
  return operations.find((operation) => operation.id === known);
}

export function docsPath({ id }: CallOperation): string {
  return `/docs/reference/operations/${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function OperationTitle({ operation }: { readonly operation: CallOperation }) {
  return (
    <>
      <h2>{operation.summary}</h2>
      <p>
        <code>
          {operation.method} {operation.path}
        </code>{' '}
        <a href={docsPath(operation)}>Documentation</a>
      </p>
    </>
  );
}
