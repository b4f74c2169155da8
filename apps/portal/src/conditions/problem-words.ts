import {
  BudgetError,
  ForbiddenError,
  GoneError,
  NotFoundError,
  PaymentRequiredError,
  ProblemError,
  RateLimitedError,
  ServerError,
  StreamEnded,
  TransportError,
} from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { clock } from '../time/clock';

/** What a page says of a call that did not work. */
export interface ProblemWords {
  readonly title: string;
  readonly detail: string;
  /** What can be done; empty where nothing can. */
  readonly advice: string;
  /** Whether asking again can help. */
  readonly canRetry: boolean;
  /** How long the service asks to wait, milliseconds; null where it does not. */
  readonly waitMs: number | null;
  /** Null where no answer of the service came. */
  readonly requestId: string | null;
  /** The oldest that can still be read, milliseconds since the epoch; null where that is not what is wrong, or not known. */
  readonly oldestMs: number | null;
}

/** A refusal or fault in words, the same on every page. */
export function problemWords(thrown: unknown): ProblemWords {
  const error = thrown instanceof StreamEnded && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (error instanceof ProblemError) {
    return {
      title: error.title,
      detail: error.detail,
      advice: adviceOf(error),
      canRetry: error instanceof ServerError || error instanceof RateLimitedError,
      waitMs: error.retryAfterMs,
      requestId: error.requestId,
      oldestMs: error instanceof GoneError && error.oldestUtc !== null ? Date.parse(error.oldestUtc) : null,
    };
  }
  const words = { canRetry: true, waitMs: null, requestId: null, oldestMs: null };
  if (error instanceof TransportError)
    return {
      ...words,
      title: 'No answer',
      detail: 'The service could not be reached.',
      advice: 'Nothing that was shown is lost.',
      requestId: error.requestId,
    };
  if (error instanceof BudgetError)
    return {
      ...words,
      title: 'Not sent',
      detail: error.message,
      advice: 'This call could cost more than this page may spend.',
      canRetry: false,
    };
  if (error instanceof StreamEnded)
    return {
      ...words,
      title: 'The stream has ended',
      detail: STREAM_ENDS[error.code] ?? error.message,
      advice: error.code === 'credits_exhausted' ? 'Trying again may cost as much again; nothing in between is lost.' : '',
      canRetry: error.code !== 'key_revoked',
    };
  return { ...words, title: 'This page failed', detail: error instanceof Error ? error.message : String(error), advice: '' };
}

const STREAM_ENDS: Readonly<Record<string, string>> = {
  credits_exhausted: 'The credits that this page may spend on it are used up.',
  key_revoked: 'The session has ended.',
  connection_lost: 'The connection was lost, and could not be opened again.',
};

function adviceOf(error: ProblemError): string {
  if (error instanceof PaymentRequiredError) return balanceAdvice(error);
  if (error instanceof ForbiddenError) return 'Ask whoever owns the account for this right.';
  if (error instanceof NotFoundError) return 'Check the address, or look for it from the live view.';
  return '';
}

function balanceAdvice({ body }: ProblemError): string {
  const { available, resets_at_utc: resets } = body;
  const cheaper = 'The compact view and fewer symbols cost less.';
  return [
    typeof available === 'number' ? `A call of ${counted(available, 'credit')} at most goes through.` : '',
    typeof resets === 'string' ? `It is filled again at ${clock(Date.parse(resets))}.` : cheaper,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
