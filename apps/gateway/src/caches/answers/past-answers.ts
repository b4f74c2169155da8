import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import type { FastRead, QueryValues, ReadyAnswer } from '../../serving/fast-read';
import {
  type OperationId,
  type AnyHandler,
  type AnyReply,
  type HandlerTable,
  isFile,
  isStream,
  type PastReach,
  type Reply,
  wrapped,
} from '../../serving/answers/handler';
import { operationById, type Operation } from '../../serving/openapi/operations';
import { authStateOf, type Grant } from '../../serving/auth/grant';
import type { Encoding, FixedRepresentation } from '../../serving/http/representation';
import { createResponseCache } from '../response-cache';
import type { PastMarks } from './past-marks';

/** Bytes of all cached bodies, in all their codings. */
const BYTES_MAX = 33_554_432;
/** Rows go out of retention, keys are withdrawn: no answer is cached longer, milliseconds. */
const TTL_MS = 60_000;
/** What was made sooner after a change may not have it yet, milliseconds. */
const QUIET_MS = 2_000;
/** An answer is made within this time of its reading, or not cached, milliseconds. */
const MAKING_MS_MAX = 1_000;

const CODINGS: readonly Encoding[] = ['identity', 'gzip', 'br'];

interface CachedAnswer {
  readonly reply: Reply;
  readonly reach: PastReach;
  /** What was made of the body so far. */
  readonly bodies: Map<Encoding, Buffer>;
  /** There once the body was made in every coding. */
  ready: ReadyAnswer | null;
  isBeingMade: boolean;
}

/** A call as far as its answer depends on it. */
interface Asked {
  readonly operation: Pick<Operation, 'operationId'>;
  readonly grant: Grant | null;
  readonly path: object;
  readonly query: object;
}

/** Answers about the past, cached as bytes as long as what they are about stays as it is. */
export interface PastAnswers {
  /** Wraps handlers so that those whose replies say what they reach run only when there is no valid answer. */
  wrap<Ops extends OperationId>(handlers: HandlerTable<Ops>): HandlerTable<Ops>;
  /** The answer to a call where it is cached in every coding and valid. */
  ready(asked: Asked & { readonly query: QueryValues }): ReadyAnswer | null;
}

interface PastAnswersDeps {
  readonly marks: PastMarks;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

export function createPastAnswers({ marks, metrics, monotonicMs }: PastAnswersDeps): PastAnswers {
  const registers = [metrics.registry];
  const given = new Counter({
    name: 'past_answers_total',
    help: 'Answers about the past: kept, or made anew.',
    labelNames: ['outcome'],
    registers,
  });
  const counts = { kept: given.labels('kept'), made: given.labels('made') };
  const answers = createResponseCache<string, CachedAnswer>({
    sizeMax: BYTES_MAX,
    sizeOf: ({ bodies }) => [...bodies.values()].reduce((sum, { length }) => sum + length, 1),
    lifetime: { ttlMs: TTL_MS, monotonicMs },
  });
  new Gauge({
    name: 'past_answers_kept_bytes',
    help: 'Bytes of the answers about the past that are kept.',
    registers,
    collect() {
      this.set(answers.size());
    },
  });

  function valid(key: string): CachedAnswer | undefined {
    const cached = answers.peek(key);
    return cached === undefined ? undefined : answers.get(key, marks.now(cached.reach)?.marks ?? null);
  }

  /** The same reply, whose body is made once in each coding. */
  function withCachedBodies(key: string, reply: Reply, cached: () => CachedAnswer): Reply {
    return {
      ...reply,
      async encoded(encoding) {
        const entry = cached();
        const known = entry.bodies.get(encoding);
        if (known !== undefined) return known;
        const body = await reply.encoded(encoding);
        entry.bodies.set(encoding, body);
        if (answers.peek(key) === entry) answers.resize(key);
        return body;
      },
    };
  }

  function cacheReply(key: string, reply: Reply, reach: PastReach, startedMs: number): Reply {
    const standing = marks.now(reach);
    const tookMs = monotonicMs() - startedMs;
    if (standing === null || tookMs > MAKING_MS_MAX || standing.quietMs - tookMs < QUIET_MS) return reply;
    if (reach.throughMs > standing.settledMs - tookMs) return reply;
    const entry: CachedAnswer = {
      reply: withCachedBodies(key, reply, () => entry),
      reach,
      bodies: new Map(),
      ready: null,
      isBeingMade: false,
    };
    answers.set(key, entry, standing.marks);
    return entry.reply;
  }

  /** Makes what the fast lane sends; whoever asks meanwhile is served by the full route. */
  async function makeReady(entry: CachedAnswer): Promise<void> {
    entry.isBeingMade = true;
    try {
      const [identity, gzip, br] = await Promise.all(CODINGS.map((coding) => entry.reply.encoded(coding)));
      if (identity === undefined || gzip === undefined || br === undefined) return;
      const representation: FixedRepresentation = { ...entry.reply, bodies: { identity, gzip, br } };
      entry.ready = { representation, observed: entry.reply.observed };
    } catch {
      // It is served by the full route, which tells what is wrong.
    }
  }

  function cached(handler: AnyHandler): AnyHandler {
    return async (call) => {
      const { operation, grant, input } = call;
      const key = keyOf({ operation, grant, path: input.path, query: input.query });
      const found = valid(key);
      if (found !== undefined) {
        counts.kept.inc();
        return found.reply;
      }
      const startedMs = monotonicMs();
      const reply = await handler(call);
      if (!isPast(reply)) return reply;
      counts.made.inc();
      return cacheReply(key, reply, reply.past, startedMs);
    };
  }

  return {
    wrap: (handlers) => wrapped(handlers, cached),
    ready(asked) {
      const found = valid(keyOf(asked));
      if (found === undefined) return null;
      if (found.ready === null && !found.isBeingMade) void makeReady(found);
      if (found.ready === null) return null;
      counts.kept.inc();
      return found.ready;
    },
  };
}

function keyOf({ operation, grant, path, query }: Asked): string {
  return JSON.stringify([operation.operationId, authStateOf(grant), path, query]);
}

function isPast(reply: AnyReply): reply is Reply & { readonly past: PastReach } {
  return !isStream(reply) && !isFile(reply) && reply.past !== undefined;
}

/** Reads of the past whose answers may be cached. */
const CACHED: readonly OperationId[] = [
  'replayPackets',
  'listHistory',
  'searchEvents',
  'getEventEvidence',
  'getPacketWorkbench',
  'getPostmortem',
  'getReplayWindow',
];

/** Reads of the past that are cached as bytes. */
export function fastPastReads(answers: Pick<PastAnswers, 'ready'>): readonly FastRead[] {
  return CACHED.map((operationId) => {
    const operation = operationById(operationId);
    const [parameter] = operation.parameters.filter(({ in: place }) => place === 'path');
    return {
      operation,
      answer: (query, grant, inPath) =>
        answers.ready({ operation, grant, path: parameter === undefined ? {} : { [parameter.name]: inPath }, query }),
    };
  });
}
