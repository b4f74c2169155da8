import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { MarketState } from '@market-state/client';
import { z } from 'zod';

/** Of a message, what the listener shows. */
export const messageShape = z.object({
  type: z.string(),
  timestamp: z.string(),
  id: z.string(),
  data: z.looseObject({
    symbol: z.string().optional(),
    phase: z.string().optional(),
    condition: z.record(z.string(), z.unknown()).optional(),
    event_id: z.string().nullish(),
    /** That of the packets up to its own, and that of the rows it was made from. */
    routes: z.looseObject({ replay: z.string(), replay_window: z.string() }).optional().catch(undefined),
    late: z.boolean().optional(),
    synthetic: z.boolean().optional(),
  }),
});

export type Message = z.infer<typeof messageShape>;

/** A line of words with two blanks between them; empty ones are left out. */
export function spaced(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join('  ');
}

/** The time of day of an instant, UTC. */
export function timeOfDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(11, 19);
}

/** What is wrong with the body of a kind of message, by the schema that the service publishes; undefined when nothing is. */
type SchemaCheck = (kind: string, body: unknown) => string | undefined;

/** The schemas of messages in the OpenAPI document of the service. */
export async function readSchemas(ms: MarketState): Promise<SchemaCheck> {
  return schemaCheck((await ms.documents.openapi()).data);
}

/** The check by the `webhooks` section of an OpenAPI document. */
function schemaCheck(document: object): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  return (kind, body) => {
    const path = ['webhooks', kind, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = ajv.getSchema(`openapi#/${pointer}`);
    if (validate === undefined) return `the service describes no kind ${kind}`;
    return validate(body) === true ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
  };
}

/** So long an id is known after it came: a message is tried for less than that. */
const KNOWN_MS = 5 * 86_400_000;
const KNOWN_MAX = 100_000;

/** What a receiver makes of a delivery. */
export type Verdict =
  /** Not from who knows the secret, or too old; `reason` ends a sentence. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Its id came before. */
  | { readonly kind: 'repeat'; readonly id: string }
  /** `fault`: what is wrong with it by its schema. */
  | { readonly kind: 'message'; readonly id: string; readonly message: Message; readonly fault?: string };

/** Verifies deliveries, and knows those that came. */
interface Judge {
  /** @param secret undefined while the endpoint is not registered */
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
      if (secret === undefined) return { kind: 'refused', reason: 'its secret is not known: this endpoint is not registered yet' };
      let content: unknown;
      try {
        content = new Webhook(secret).verify(body, headers as Record<string, string>);
      } catch (error) {
        return { kind: 'refused', reason: (error as Error).message };
      }
      const id = String(headers['webhook-id']);
      if (isKnown(id)) return { kind: 'repeat', id };
      const read = messageShape.safeParse(content);
      if (!read.success) return { kind: 'refused', reason: 'its signature is right, but its body is no message' };
      return { kind: 'message', id, message: read.data, fault: check(read.data.type, content) };
    },
  };
}
