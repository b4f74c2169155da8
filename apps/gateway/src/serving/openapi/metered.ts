type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Headers that every metered answer has. */
export const METERED_HEADERS: JsonObject = {
  XCreditsCharged: { description: 'Credits that this call was charged; of a stream, so far.', schema: { type: 'integer', minimum: 0 } },
  XCreditsRemaining: { description: 'Market-state credits left.', schema: { type: 'integer' } },
  RateLimitPolicy: { description: 'Calls of a minute, as `"plan";q=3000;w=60`.', schema: { type: 'string' } },
  RateLimit: {
    description: 'Calls that could be made at once now, and seconds until one more could, as `"plan";r=199;t=1`.',
    schema: { type: 'string' },
  },
};

const NAMES: Readonly<Record<string, string>> = {
  'X-Credits-Charged': 'XCreditsCharged',
  'X-Credits-Remaining': 'XCreditsRemaining',
  'RateLimit-Policy': 'RateLimitPolicy',
  RateLimit: 'RateLimit',
};

/** Where what metered operations have in common is described, as references. */
export interface MeteredParts {
  readonly parameters: readonly Json[];
  readonly paymentRequired: Json;
  readonly rateLimited: Json;
  readonly unavailable: Json;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withHeaders(response: Json | undefined): Json | undefined {
  if (!isObject(response) || '$ref' in response) return response;
  const headers = Object.fromEntries(
    Object.entries(NAMES).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
  return { ...response, headers: { ...(isObject(response['headers']) ? response['headers'] : {}), ...headers } };
}

/**
 * An operation with what all have, 429 and 503, and with what every metered one has: headers that bound its cost, 402, and headers that
 * tell its cost.
 */
export function describeMetering(operation: Json, parts: MeteredParts): Json {
  if (!isObject(operation) || !isObject(operation['x-access'])) return operation;
  const responses = isObject(operation['responses']) ? operation['responses'] : {};
  const isProbe = Array.isArray(operation['tags']) && operation['tags'].includes('operations');
  const limited = isProbe ? responses : { '429': parts.rateLimited, '503': parts.unavailable, ...responses };
  if (operation['x-access']['metered'] !== true) return { ...operation, responses: limited };
  const ok = withHeaders(responses['200']);
  return {
    ...operation,
    parameters: [...(Array.isArray(operation['parameters']) ? operation['parameters'] : []), ...parts.parameters],
    responses: { ...limited, '402': parts.paymentRequired, ...(ok === undefined ? {} : { '200': ok }) },
  };
}
