import { backoffMs, beforeDeadline, delay } from '@market-state/lifecycle';
import type * as s3Module from '@aws-sdk/client-s3';
import { StoreUnreachableError } from '../store-errors';
import type { StoreOptions } from '../store-settings';
import { fromS3Error } from './s3-errors';

/** The client's library, loaded with the first call: it is large. */
export type S3Sdk = typeof s3Module;

/** What a call is made with. */
export interface OpenS3 {
  readonly sdk: S3Sdk;
  readonly client: s3Module.S3Client;
  /** Aborts when the time of this try is up. */
  readonly signal: AbortSignal;
}

export interface S3Client {
  /**
   * Makes a call until it succeeds: four tries at most, and no longer than the deadline. `bytes`, of a body that is sent with it,
   * add to the time of each try and to the deadline what they take at 1 MiB/s. Rejects as `fromS3Error` says.
   */
  call<T>(work: (open: OpenS3) => Promise<T>, bytes?: number): Promise<T>;
  /** The time of one try without a body, milliseconds. */
  readonly tryMs: number;
}

/** Time of a call with its tries, milliseconds. */
const DEADLINE_MS = 30_000;
const TRIES = 4;
const BYTES_A_MS = 1_024;

export function createS3Client({ endpoint, region, forcePathStyle, deadlineMs = DEADLINE_MS }: StoreOptions): S3Client {
  const tryMs = deadlineMs / 3;
  let opening: Promise<Omit<OpenS3, 'signal'>> | undefined;
  const open = (): Promise<Omit<OpenS3, 'signal'>> => {
    opening ??= import('@aws-sdk/client-s3').then((sdk) => ({
      sdk,
      client: new sdk.S3Client({
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(region === undefined && endpoint === undefined ? {} : { region: region ?? 'us-east-1' }),
        forcePathStyle: forcePathStyle ?? endpoint !== undefined,
        // What the client adds of its own accord is not understood by every service that speaks the protocol.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        // Tries are counted here, where a body can be opened again.
        maxAttempts: 1,
        requestHandler: { connectionTimeout: tryMs },
      }),
    }));
    return opening;
  };

  async function oneTry<T>(work: (open: OpenS3) => Promise<T>, timeMs: number): Promise<T> {
    const stop = new AbortController();
    try {
      return await beforeDeadline(
        timeMs,
        open().then((opened) => work({ ...opened, signal: stop.signal })),
      );
    } catch (error) {
      stop.abort();
      throw fromS3Error(error);
    }
  }

  return {
    tryMs,
    async call(work, bytes = 0) {
      const bodyMs = bytes / BYTES_A_MS;
      const endMs = performance.now() + deadlineMs + bodyMs;
      for (let failures = 0; ; failures += 1) {
        try {
          return await oneTry(work, Math.min(tryMs + bodyMs, endMs - performance.now()));
        } catch (error) {
          const pauseMs = backoffMs(failures, { minMs: 100, maxMs: 2_000 });
          const isLast = failures + 1 >= TRIES || performance.now() + pauseMs >= endMs;
          if (isLast || !(error instanceof StoreUnreachableError)) throw error;
          await delay(pauseMs);
        }
      }
    },
  };
}
