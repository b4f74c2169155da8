import { Choice } from '../../controls/choice';
import type { Params } from '@market-state/client';
import { Field } from '../../account/field';
import { BOUNDS } from '../../generated/bounds';
import type { Endpoint } from '../../service/use-endpoints';
import sheet from '../../theme/sheet.module.css';
import { digestWords, serviceName } from './webhook-words';

type Kind = Endpoint['kind'];
type AddressField = 'url' | 'email' | 'bot_token' | 'chat_id' | 'routing_key';

export const ADDRESS_FIELDS: readonly AddressField[] = ['url', 'email', 'bot_token', 'chat_id', 'routing_key'];

const REQUEST = BOUNDS.WebhookRequest;
const DIGEST_MINUTES = [0, 5, 15, 60, 1_440];
const DIGEST_KINDS: ReadonlySet<Kind> = new Set(['slack', 'discord', 'telegram', 'email']);
const STORED = 'Stored encrypted and never shown again.';
const UNCHANGED = 'Leave empty to keep the current one. A new one needs a test.';

interface Input {
  readonly name: AddressField;
  readonly label: string;
  readonly type: 'url' | 'email' | 'text' | 'password';
  readonly placeholder: string;
  readonly hint: string;
}

const INPUTS: Readonly<Record<Kind, readonly Input[]>> = {
  webhook: [
    {
      name: 'url',
      label: 'Address',
      type: 'url',
      placeholder: 'https://example.com/hooks/market-state',
      hint: 'https with a public host name, port 443 or 8443. Only test messages are sent until your endpoint returns a 2xx.',
    },
  ],
  slack: [
    {
      name: 'url',
      label: 'Webhook URL',
      type: 'password',
      placeholder: 'https://hooks.slack.com/services/…',
      hint: `In Slack: Apps, Incoming Webhooks, Add to a channel. ${STORED}`,
    },
  ],
  discord: [
    {
      name: 'url',
      label: 'Webhook URL',
      type: 'password',
      placeholder: 'https://discord.com/api/webhooks/…',
      hint: `In Discord: Channel settings, Integrations, Webhooks. ${STORED}`,
    },
  ],
  telegram: [
    {
      name: 'bot_token',
      label: 'Bot token',
      type: 'password',
      placeholder: '123456789:…',
      hint: `From @BotFather. ${STORED}`,
    },
    {
      name: 'chat_id',
      label: 'Chat ID',
      type: 'text',
      placeholder: '-1001234567890 or @channel',
      hint: 'The bot must be a member of the chat.',
    },
  ],
  pagerduty: [
    {
      name: 'routing_key',
      label: 'Integration key',
      type: 'password',
      placeholder: '32 letters and digits',
      hint: `In PagerDuty: Service, Integrations, Events API v2. An alert opens an incident, its recovery resolves it. ${STORED}`,
    },
  ],
  email: [
    {
      name: 'email',
      label: 'Email',
      type: 'email',
      placeholder: 'desk@example.com',
      hint: 'A test mails a code to this address. Alerts are mailed once the code is entered here.',
    },
  ],
};

export function KindChoice({ kind, onKind }: { readonly kind: Kind; readonly onKind: (kind: Kind) => void }) {
  return (
    <Choice
      className={sheet['choice']}
      label="Send to"
      name="kind"
      value={kind}
      options={REQUEST.kind.enum}
      say={serviceName}
      onChoose={onKind}
    />
  );
}

interface AddressFieldsProps {
  readonly kind: Kind;
  /** Undefined for a new endpoint. */
  readonly record: Endpoint | undefined;
  readonly faults: ReadonlyMap<string, string>;
}

export function AddressFields({ kind, record, faults }: AddressFieldsProps) {
  return (
    <>
      {(INPUTS[kind] ?? []).map(({ name, label, type, placeholder, hint }) => (
        <Field
          key={name}
          label={label}
          name={name}
          type={type}
          required={record === undefined || type !== 'password'}
          maxLength={REQUEST[name].maxLength}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          defaultValue={type === 'password' ? undefined : currentOf(record, name)}
          hint={record === undefined ? hint : type === 'password' ? UNCHANGED : 'A new one needs a test.'}
          fault={faults.get(name)}
        />
      ))}
      {DIGEST_KINDS.has(kind) ? <DigestChoice minutes={record?.digest_minutes ?? 0} fault={faults.get('digest_minutes')} /> : null}
    </>
  );
}

function DigestChoice({ minutes, fault }: { readonly minutes: number; readonly fault: string | undefined }) {
  return (
    <label>
      Send{' '}
      <select name="digest_minutes" defaultValue={minutes}>
        {[...new Set([...DIGEST_MINUTES, minutes])]
          .toSorted((one, other) => one - other)
          .map((value) => (
            <option key={value} value={value}>
              {digestWords(value)}
            </option>
          ))}
      </select>
      {fault === undefined ? null : <span className={sheet['fault']}>{fault}</span>}
    </label>
  );
}

function currentOf(record: Endpoint | undefined, name: AddressField): string | undefined {
  if (record === undefined) return undefined;
  return { url: record.url, email: record.email ?? '', chat_id: record.chat_id ?? '', bot_token: '', routing_key: '' }[name];
}

type Addressed = Pick<Params<'createWebhook'>, AddressField | 'kind' | 'digest_minutes'>;

/** Fields of the form that are filled in. */
export function addressOf(form: FormData): Addressed {
  const fields = ADDRESS_FIELDS.flatMap((name): [AddressField, string][] => {
    const value = String(form.get(name) ?? '').trim();
    return value === '' ? [] : [[name, value]];
  });
  const digest = form.get('digest_minutes');
  const kind = REQUEST.kind.enum.find((one) => one === form.get('kind')) ?? 'webhook';
  return { kind, ...Object.fromEntries(fields), ...(digest === null ? {} : { digest_minutes: Number(digest) }) };
}

/** Sending an address, even unchanged, could require a new test. */
export function withoutUnchanged<Wish extends Partial<Record<AddressField, unknown>>>(record: Endpoint, wish: Wish): Partial<Wish> {
  const changed = Object.entries(wish).filter(
    ([name, value]) => !ADDRESS_FIELDS.some((field) => field === name) || value !== currentOf(record, name as AddressField),
  );
  return Object.fromEntries(changed) as Partial<Wish>;
}
