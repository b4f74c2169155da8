import type { FaultItem } from '../../../serving/errors/fault-item';
import type { Operation } from '../../../serving/openapi/operations';

/** The body that fields sent in a query make, and what is wrong with how they were sent. */
export interface SentBody {
  /** Undefined for an operation without a body. */
  readonly body: unknown;
  readonly faults: readonly FaultItem[];
}

type Sent = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * A body from a query: numbers and booleans as texts, lists of texts repeated or separated by commas, objects and lists of objects as JSON.
 */
export function readSentBody({ body: described }: Operation, sent: Sent): SentBody {
  if (described === null) return { body: undefined, faults: [] };
  const fields = new Map(Object.entries(described.schema['properties'] ?? {}) as [string, { readonly type?: unknown }][]);
  const body: Record<string, unknown> = {};
  const faults: FaultItem[] = [];
  const refuse = (name: string, msg: string, type: string): void => void faults.push({ loc: ['query', name], msg, type });
  for (const [name, value] of Object.entries(sent)) {
    const values = [value ?? []].flat();
    const [text = ''] = values;
    const types = [fields.get(name)?.type ?? []].flat();
    if (!fields.has(name)) refuse(name, 'is not a field of the body of this route', 'unknown_parameter');
    else if (types.includes('array') && !text.startsWith('[')) body[name] = values.flatMap((each) => each.split(','));
    else if (values.length > 1) refuse(name, 'was sent more than once', 'duplicate_parameter');
    else if (types.includes('array') || types.includes('object')) {
      const read = readJson(text);
      if (read === undefined) refuse(name, 'must be JSON, as in the body', 'json');
      else body[name] = read;
    } else body[name] = readText(text, types);
  }
  return { body, faults };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the text cannot be read as stays a text, so that the schema says what is wrong. */
function readText(text: string, types: readonly unknown[]): unknown {
  if (types.includes('integer') && /^\d{1,9}$/.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
