import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { MarketState } from '@market-state/client';
import { z } from 'zod';

/** Fields of a message that the listener shows. */
export const messageShape = z.object({
  type: z.string(),
  timestamp: z.string(),
  id: z.string(),
  data: z.looseObject({
    symbol: z.string().optional(),
    phase: z.string().optional(),
    condition: z.record(z.string(), z.unknown()).optional(),
    event_id: z.string().nullish(),
    /** `replay`: packets up to the message's own. `replay_window`: rows it was made from. */
    routes: z.looseObject({ replay: z.string(), replay_window: z.string() }).optional().catch(undefined),
    late: z.boolean().optional(),
    synthetic: z.boolean().optional(),
  }),
});

export type Message = z.infer<typeof messageShape>;

/** Joins words with two spaces, leaving out empty ones. */
export function spaced(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join('  ');
}

export function timeOfDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(11, 19);
}

/** Undefined if the body is valid. */
type SchemaCheck = (kind: string, body: unknown) => string | undefined;

export async function readSchemas(ms: MarketState): Promise<SchemaCheck> {
  return schemaCheck((await ms.documents.openapi()).data);
}

/** Reads the `webhooks` section of an OpenAPI document. */
function schemaCheck(document: object): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  return (kind, body) => {
    const path = ['webhooks', kind, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = ajv.getSchema(`openapi#/${pointer}`);
    if (validate === undefined) return `the service does not document the kind ${kind}`;
    return validate(body) === true ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
  };
}

/** Longer than the service retries a message, so that repeats are recognised. */
const KNOWN_MS = 5 * 86_400_000;
const KNOWN_MAX = 100_000;

/** Result of checking a delivery. */
export type Verdict =
  /** Invalid signature or too old; `reason` ends a sentence. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The id was received before. */
  | { readonly kind: 'repeat'; readonly id: string }
  /** `fault`: schema violation, if any. */
  | { readonly kind: 'message'; readonly id: string; readonly message: Message; readonly fault?: string };

/** Verifies deliveries and remembers the ids received. */
interface Judge {
  /** @param secret undefined until the endpoint is registered */
  judge(body: Buffer, headers: IncomingHttpHeaders, secret: string | undefined): Verdict;
}

/** @param now epoch milliseconds */
export function createJudge(check: SchemaCheck, now: () => number): Judge {
  const known = new Map<string, number>();

  function isKnown(id: string): boolean {
    const nowMs = now();
    for (const [old, atMs] of known) {
      if (known.size <= KNOWN_MAX && nowMs - atMs < KNOWN_MS) break;
      known.delete(old);
    }
    if (known.has(id)) return true;
    known.set(id, nowMs);
    return false;
  }

  return {
    judge(body, headers, secret) {
      if (secret === undefined) return { kind: 'refused', reason: 'its secret is unknown: this endpoint is not registered yet' };
      let content: unknown;
      try {
        content = new Webhook(secret).verify(body, headers as Record<string, string>);
      } catch (error) {
        return { kind: 'refused', reason: (error as Error).message };
      }
      const id = String(headers['webhook-id']);
      if (isKnown(id)) return { kind: 'repeat', id };
      const read = messageShape.safeParse(content);
      if (!read.success) return { kind: 'refused', reason: 'its signature is valid, but the body is not a message' };
      return { kind: 'message', id, message: read.data, fault: check(read.data.type, content) };
    },
  };
}
