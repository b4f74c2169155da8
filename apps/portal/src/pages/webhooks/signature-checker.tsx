import { VerificationError, verifyWebhook } from '@market-state/client/webhooks';
import { duration } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef } from 'react';
import sheet from '../../theme/sheet.module.css';
import { headersOf } from './paste-headers';
import styles from './webhooks.module.css';

/** Receivers refuse a message that is signed longer ago, as the SDK's check does. */
const TOLERANCE_S = 300;

/** Checks a message by the SDK's own code, in this browser: nothing of it is sent anywhere, and the secret goes with the page. */
export function SignatureChecker() {
  const form = useRef<HTMLFormElement>(null);
  const { mutate, data, isPending } = useMutation({ mutationFn: check, gcTime: 0 });
  useEffect(() => {
    // A page that the browser keeps to come back to would keep the secret too.
    const forget = (): void => form.current?.reset();
    addEventListener('pagehide', forget);
    return () => removeEventListener('pagehide', forget);
  }, []);
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate(new FormData(submitted.currentTarget));
  };
  return (
    <section className={sheet['panel']} aria-label="Signature checker">
      <h2>
        Is a message ours? <span className={sheet['soft']}>checked in this browser; nothing is sent</span>
      </h2>
      <form ref={form} onSubmit={submit} className={styles['checker']}>
        <label>
          Body, the bytes as they came
          <textarea name="body" required rows={6} spellCheck={false} autoComplete="off" />
        </label>
        <label>
          Headers webhook-id, webhook-timestamp and webhook-signature
          <textarea name="headers" required rows={6} spellCheck={false} autoComplete="off" placeholder="webhook-id: msg_…" />
        </label>
        <label>
          Signing secret
          <input name="secret" type="password" required autoComplete="off" placeholder="whsec_…" />
        </label>
        <p className={sheet['actions']}>
          <button type="submit" disabled={isPending}>
            Check it
          </button>
          <button type="reset">Clear</button>
          <span role="status" className={data?.isRight === false ? sheet['fault'] : undefined}>
            {data?.words ?? ''}
          </span>
        </p>
      </form>
    </section>
  );
}

interface Verdict {
  readonly isRight: boolean;
  readonly words: string;
}

/** The signature first, whenever it was made; then whether a receiver would still take it. */
async function check(form: FormData): Promise<Verdict> {
  // A field gives line ends as forms send them; a body of the service has none, or plain ones.
  const body = String(form.get('body')).replaceAll('\r\n', '\n');
  const headers = headersOf(String(form.get('headers')));
  try {
    const { type } = await verifyWebhook(body, headers, String(form.get('secret')).trim(), { toleranceSeconds: Infinity });
    const ageS = Math.floor(Date.now() / 1_000) - Number(headers['webhook-timestamp']);
    const age = ageS > TOLERANCE_S ? ` It was signed ${duration(ageS * 1_000)} ago: a receiver refuses it after 5 min.` : '';
    return { isRight: true, words: `The signature is right: a ${type} message of this service.${age}` };
  } catch (error) {
    if (error instanceof VerificationError || error instanceof TypeError) return { isRight: false, words: error.message };
    throw error;
  }
}
