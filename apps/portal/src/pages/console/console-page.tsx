import { useSearchParams } from 'wouter';
import { Empty } from '../../conditions/placeholder';
import sheet from '../../theme/sheet.module.css';
import { CallPanel } from './call-panel';
import { CallerPanel, useCaller } from './caller-panel';
import { OperationTitle, type CallOperation, findOperation, operations } from './operations';
import type { OperationId } from '@market-state/client';
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

/** Any operation, tried: its cost before, its answer, what it did cost, and the same call from a program. */
export default function ConsolePage() {
  const [params, setParams] = useSearchParams();
  const calling = useCaller();
  const asked = params.get('operation') ?? '';
  const operation = findOperation(asked);
  const noForm = operation === undefined ? undefined : NO_FORM[operation.id];
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Console</h1>
        <label>
          Operation{' '}
          <select value={operation?.id ?? ''} onChange={({ target }) => setParams({ operation: target.value })}>
            <option value="" disabled>
              choose one
            </option>
            {tags.map((tag) => (
              <optgroup key={tag} label={tag}>
                {operations
                  .filter((each) => each.tag === tag)
                  .map(({ id, summary }) => (
                    <option key={id} value={id}>
                      {summary}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        <span className={sheet['soft']}>any operation of the API, with its cost before and after</span>
      </div>
      <div className={sheet['panels']}>
        <CallerPanel calling={calling} />
        {operation === undefined ? (
          <Empty why={asked === '' ? 'No operation is chosen yet.' : `There is no operation ${asked}.`}>
            Choose one above, or come from its page in the <a href="/docs/reference/operations">documentation</a>, which fills its form in.
          </Empty>
        ) : noForm === undefined ? (
          <CallPanel key={operation.id} operation={operation} calling={calling} />
        ) : (
          <NoFormView operation={operation} noForm={noForm} />
        )}
      </div>
    </>
  );
}

const tags = [...new Set(operations.map(({ tag }) => tag))];

function NoFormView({ operation, noForm: { why, instead } }: { readonly operation: CallOperation; readonly noForm: NoForm }) {
  return (
    <section className={sheet['panel']} aria-label={operation.summary}>
      <OperationTitle operation={operation} />
      <p>It cannot be called from here. {why}</p>
      {instead === null ? null : (
        <p className={sheet['actions']}>
          <a href={instead.href}>{instead.words}</a>
        </p>
      )}
    </section>
  );
}
