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
import { sentenceWords } from '../packets/market-name';

interface ProblemWords {
  readonly title: string;
  readonly detail: string;
  readonly advice: string;
  readonly canRetry: boolean;
  readonly waitMs: number | null;
  readonly requestId: string | null;
  readonly oldestMs: number | null;
}

export function problemWords(thrown: unknown): ProblemWords {
  const error = thrown instanceof StreamEnded && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (error instanceof ProblemError) {
    return {
      title: error.title,
      detail: sentenceWords(error.detail),
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
      title: 'No response',
      detail: 'The service could not be reached.',
      advice: 'Nothing on this page was lost.',
      requestId: error.requestId,
    };
  if (error instanceof BudgetError)
    return {
      ...words,
      title: 'Not sent',
      detail: error.message,
      advice: 'This call could exceed the spending limit of this page.',
      canRetry: false,
    };
  if (error instanceof StreamEnded)
    return {
      ...words,
      title: 'The stream has ended',
      detail: STREAM_ENDS[error.code] ?? error.message,
      advice: error.code === 'credits_exhausted' ? 'Retrying may cost the same again; no data in between is lost.' : '',
      canRetry: error.code !== 'key_revoked',
    };
  return { ...words, title: 'This page failed', detail: error instanceof Error ? error.message : String(error), advice: '' };
}

const STREAM_ENDS: Readonly<Record<string, string>> = {
  credits_exhausted: 'The credit limit of this page for the stream is used up.',
  key_revoked: 'The session has ended.',
  connection_lost: 'The connection was lost and could not be reopened.',
};

function adviceOf(error: ProblemError): string {
  if (error instanceof PaymentRequiredError) return balanceAdvice(error);
  if (error instanceof ForbiddenError) return 'Ask the account owner for this permission.';
  if (error instanceof NotFoundError) return 'Check the address, or find it from the live view.';
  return '';
}

function balanceAdvice({ body }: ProblemError): string {
  const { available, resets_at_utc: resets } = body;
  const cheaper = 'The compact view and fewer symbols cost less.';
  return [
    typeof available === 'number' ? `You can still make calls of up to ${counted(available, 'credit')}.` : '',
    typeof resets === 'string' ? `Your balance resets at ${clock(Date.parse(resets))}.` : cheaper,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
